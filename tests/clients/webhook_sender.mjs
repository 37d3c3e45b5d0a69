// Providers as they are: webhooks signed and checked by the official packages `stripe` and `standardwebhooks`.
//
// Reads one JSON object per line and answers each with one, in any order, with its `n`:
//
//   {n, do: "sign", scheme, secret, id, body, timestamp?}            {n, headers}
//   {n, do: "send", …, urls, seconds}                                {n, status, duplicate, seen}
//   {n, do: "verify", secret, headers, body}                         {n, ok} or {n, ok: false, why}
//
// "send" retries as a provider does, each attempt signed anew unless a timestamp is given, to one address after the
// other, until a 2xx or for so many seconds; `seen` counts what it met on the way.

import http from 'node:http';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const require = createRequire(process.env.UMAVEZ_CLIENTS_NODE + '/');
const Stripe = require('stripe');
const { Webhook } = require('standardwebhooks');

const stripe = new Stripe('sk_test_unused');
const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });
const PARALLEL = 24;
const PAUSE_MS_MAX = 250;
// As tests/clients/support.py waits: a machine that stands still is no address that hangs.
const ANSWER_MS_MAX = 1000 * Math.max(60, Number(process.env.UMAVEZ_WAIT_SECONDS ?? 60));

function sign({ scheme, secret, id, body, timestamp }) {
  const seconds = timestamp ?? Math.floor(Date.now() / 1000);
  if (scheme === 'stripe') {
    const header = stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: seconds });
    return { 'Stripe-Signature': header };
  }
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': new Webhook(secret).sign(id, new Date(seconds * 1000), body),
  };
}

function post(url, headers, body) {
  return new Promise((resolve) => {
    const all = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers };
    const request = http.request(url, { method: 'POST', agent, headers: all }, (answer) => {
      let text = '';
      answer.on('data', (piece) => (text += piece));
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
      answer.on('error', (error) => resolve({ status: error.code ?? 'broken' }));
    });
    request.setTimeout(ANSWER_MS_MAX, () => request.destroy(new Error('no answer')));
    request.on('error', (error) => resolve({ status: error.code ?? error.message }));
    request.end(body);
  });
}

async function send(task) {
  const deadline = Date.now() + task.seconds * 1000;
  const seen = {};
  for (let attempt = 0; ; ++attempt) {
    const answer = await post(task.urls[(task.n + attempt) % task.urls.length], sign(task), task.body);
    seen[answer.status] = (seen[answer.status] ?? 0) + 1;
    if (answer.status >= 200 && answer.status < 300) {
      return { status: answer.status, duplicate: JSON.parse(answer.text).duplicate, seen };
    }
    if (Date.now() > deadline) return { status: answer.status, answer: answer.text, seen };
    await pause(Math.random() * Math.min(PAUSE_MS_MAX, 10 * 2 ** attempt));
  }
}

function verify({ secret, headers, body }) {
  try {
    new Webhook(secret).verify(body, headers);
    return { ok: true };
  } catch (error) {
    return { ok: false, why: error.message };
  }
}

const actions = { send, sign: async (task) => ({ headers: sign(task) }), verify: async (task) => verify(task) };
const waiting = [];
let running = 0;

async function run(task) {
  const outcome = await actions[task.do](task);
  console.log(JSON.stringify({ n: task.n, ...outcome }));
  --running;
  startSome();
}

function startSome() {
  while (running < PARALLEL && waiting.length > 0) {
    ++running;
    run(waiting.shift());
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  waiting.push(JSON.parse(line));
  startSome();
});
process.stdin.on('close', () => agent.destroy());
