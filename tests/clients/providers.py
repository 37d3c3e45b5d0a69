"""Providers that send events: webhook_sender.mjs as a child process, and what the events look like."""

import json
import os
import subprocess
import threading
import unittest

import installation
import support
from support import WAIT_SECONDS, wait_on

CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
PACKAGES = os.environ.get("UMAVEZ_CLIENTS_NODE") or os.path.join(CACHE, "umavez-clients")
SECRETS = {"stripe": installation.STRIPE_SECRET, "loja": installation.STANDARD_SECRET}
SCHEMES = {"stripe": "stripe", "loja": "standard-webhooks"}


def need_packages():
    """Skips the test where npm's packages are not; they alone may be missing."""
    for package in ("stripe", "standardwebhooks"):
        if not os.path.isdir(os.path.join(PACKAGES, "node_modules", package)):
            raise unittest.SkipTest(f"{package} is not in {PACKAGES}; ./dev packages installs it from npm")


class Event:
    """What a provider tells: its id and its bytes."""

    def __init__(self, provider, id, body):
        self.provider = provider
        self.id = id
        self.body = body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))


def stripe_event(id, type, object, **more):
    return Event("stripe", id, {"id": id, "object": "event", "type": type, "created": 1760000000, "livemode": True,
                                "pending_webhooks": 1, "data": {"object": object}, **more})


def intent_succeeded(id, payment, invoice, cents):
    return stripe_event(id, "payment_intent.succeeded", {
        "id": payment, "object": "payment_intent", "amount": cents, "amount_received": cents, "currency": "brl",
        "metadata": {"fatura_id": str(invoice)}})


def charge_succeeded(id, payment, invoice, cents):
    """Another event of the same payment."""
    return stripe_event(id, "charge.succeeded", {
        "id": f"ch_{id}", "object": "charge", "payment_intent": payment, "amount": cents, "currency": "brl", "captured": True,
        "metadata": {"fatura_id": str(invoice)}})


def payment_confirmed(id, payment, invoice, cents, type="pagamento.confirmado"):
    reais = f"{cents // 100}.{cents % 100:02}"
    body = (f'{{"type":"{type}","timestamp":"2026-01-31T12:00:00Z","data":{{"pagamento_id":"{payment}",'
            f'"fatura_id":{invoice},"valor":{reais},"moeda":"BRL"}}}}')
    return Event("loja", id, body)


class Providers:
    """The official packages at work. Thread-safe."""

    def __init__(self):
        need_packages()
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "webhook_sender.mjs")
        self.process = subprocess.Popen(
            [support.need("node"), script], env=os.environ | {"UMAVEZ_CLIENTS_NODE": PACKAGES},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._changed = threading.Condition()
        self._outcomes = {}
        self._asked = 0
        self._has_ended = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._thread.join(WAIT_SECONDS)
        self.process.stdout.close()

    def _read(self):
        for line in self.process.stdout:
            outcome = json.loads(line)
            with self._changed:
                self._outcomes[outcome["n"]] = outcome
                self._changed.notify_all()
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def _ask(self, task):
        with self._changed:
            number = self._asked
            self._asked += 1
            self.process.stdin.write(json.dumps({"n": number, **task}) + "\n")
            self.process.stdin.flush()
            return number

    def wait_for(self, numbers, seconds=WAIT_SECONDS):
        """The outcomes of what was asked for, in this order."""
        self.wait_for_some(numbers, len(numbers), seconds)
        with self._changed:
            return [self._outcomes.pop(number) for number in numbers]

    def wait_for_some(self, numbers, count, seconds=WAIT_SECONDS):
        """Until so many of them have an outcome."""
        with self._changed:
            done = lambda: sum(number in self._outcomes for number in numbers)
            wait_on(self._changed, f"{count} of {len(numbers)} are sent", lambda: done() >= count or self._has_ended,
                    seconds, lambda: f"{done()} were")
            assert done() >= count, f"the sender ended when it had sent {done()} of {len(numbers)}"

    def _of(self, event, timestamp, secret):
        task = {"scheme": SCHEMES[event.provider], "secret": secret or SECRETS[event.provider], "id": event.id,
                "body": event.body}
        return task | ({"timestamp": timestamp} if timestamp is not None else {})

    def sign(self, event, timestamp=None, secret=None):
        """The headers of a delivery."""
        number = self._ask({"do": "sign", **self._of(event, timestamp, secret)})
        return self.wait_for([number])[0]["headers"]

    def send(self, event, servers, timestamp=None, seconds=WAIT_SECONDS):
        """Begins to send, with retries; gives the number to wait for."""
        urls = [f"{server.url}/webhooks/{event.provider}" for server in servers]
        return self._ask({"do": "send", "urls": urls, "seconds": seconds, **self._of(event, timestamp, None)})

    def verify(self, secret, headers, body):
        number = self._ask({"do": "verify", "secret": secret, "headers": headers, "body": body})
        return self.wait_for([number])[0]

    def deliver(self, event, server, timestamp=None, secret=None, body=None, headers=None, patient=True):
        """One delivery and its answer, without retries; `body` is sent instead of what was signed."""
        signed = self.sign(event, timestamp, secret) if headers is None else headers
        sent = (event.body if body is None else body).encode()
        return server.ask("POST", f"/webhooks/{event.provider}", sent, headers=signed, patient=patient)
