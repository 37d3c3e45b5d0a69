// The peer: fastify with @node-idempotency/core on Redis, wired as its readme shows, storing before it
// answers. POST /charges answers 300 bytes of JSON; GET /count tells how often the handler ran.
//
// PORT, REDIS_URL; run in a folder that has the packages.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.cwd(), 'package.json'));
const { Idempotency } = require('@node-idempotency/core');
const { RedisStorageAdapter } = require('@node-idempotency/storage-adapter-redis');
const fastify = require('fastify');

const storage = new RedisStorageAdapter({ url: process.env.REDIS_URL });
await storage.connect();
const idempotency = new Idempotency(storage, { inProgressStrategy: { wait: false } });
const statuses = {
  REQUEST_IN_PROGRESS: 409,
  IDEMPOTENCY_FINGERPRINT_MISSMATCH: 422,
  IDEMPOTENCY_KEY_LEN_EXEEDED: 400,
};
const charge = { id: 'ch_0123456789abcdef', object: 'charge', amount: 1999, currency: 'EUR', status: 'succeeded', pad: '' };
charge.pad = 'x'.repeat(300 - JSON.stringify(charge).length);
let count = 0;

const app = fastify();
app.get('/count', async () => ({ count }));
app.post('/charges', async (request, reply) => {
  const asked = { method: request.method, headers: request.headers, body: request.body, path: request.url };
  try {
    const known = await idempotency.onRequest(asked);
    if (known) return reply.code(known.additional.status).send(known.body);
  } catch (error) {
    return reply.code(statuses[error.code] ?? 500).send({ error: error.code, message: error.message });
  }
  count += 1;
  await idempotency.onResponse(asked, { body: charge, additional: { status: 200 } });
  return reply.code(200).send(charge);
});
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
