// stripe-node against a server that is not Stripe's: creates what its arguments tell and prints the answer.
//
//   node stripe_client.mjs PORT TOKEN RETRIES PATH JSON [KEY]
//
// Without KEY the library makes its own. Paths under /v2 are sent as JSON, others as forms.

import { createRequire } from 'node:module';

const require = createRequire(process.env.UMAVEZ_CLIENTS_NODE + '/');
const Stripe = require('stripe');

const [port, token, retries, path, body, key] = process.argv.slice(2);
const stripe = new Stripe(token, {
  host: '127.0.0.1',
  port: Number(port),
  protocol: 'http',
  maxNetworkRetries: Number(retries),
  telemetry: false,
});

try {
  const answer = await stripe.rawRequest('POST', path, JSON.parse(body), key ? { idempotencyKey: key } : {});
  const { headers, statusCode } = answer.lastResponse;
  console.log(JSON.stringify({ status: statusCode, replayed: headers['idempotent-replayed'] === 'true', answer }));
} catch (error) {
  console.log(JSON.stringify({ status: error.statusCode ?? null, error: error.message, type: error.type }));
}
