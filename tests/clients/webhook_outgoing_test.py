#!/usr/bin/env python3
"""Our own webhooks, received by somebody else and checked with the official package standardwebhooks."""

import collections
import http.server
import json
import threading
import unittest
import unittest.mock

import support
from installation import CALM, Installation
from ledger import INVOICE_CENTS, Office
from providers import Providers, intent_succeeded, need_packages

INVOICES = 5
# Of one invoice, as things happened to it.
STORY = ["fatura.criada", "pagamento.aplicado", "pagamento.aplicado", "fatura.paga"]


def id_of(headers):
    return {name.lower(): value for name, value in headers.items()}["webhook-id"]


class Destination:
    """Keeps what it gets, and answers the first delivery of every so many with a failure."""

    def __init__(self, fails_every=0):
        self.changed = threading.Condition()
        self.received = []  # (status, headers, body) in the order of arrival
        self.tried = set()
        destination = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.send_response(destination.take(dict(self.headers), body, fails_every))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def take(self, headers, body, fails_every):
        with self.changed:
            id = id_of(headers)
            is_first = id not in self.tried
            self.tried.add(id)
            fails = fails_every and is_first and len(self.tried) % fails_every == 0
            status = 500 if fails else 204
            self.received.append((status, headers, body))
            self.changed.notify_all()
            return status

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/webhooks"

    def taken(self):
        """Those that it accepted, each when it came first: who has no answer in time sends again."""
        first = {}
        for status, headers, body in self.received:
            if status == 204:
                first.setdefault(id_of(headers), (headers, body))
        return list(first.values())

    def wait_for(self, count):
        with self.changed:
            support.wait_on(self.changed, f"{count} events come", lambda: len(self.taken()) >= count,
                            told=lambda: len(self.taken()))
            return self.taken()


class OutgoingTest(support.TestCase):
    @classmethod
    def setUpClass(cls):
        need_packages()

    def open(self, *arguments):
        self.installation = self.enterContext(Installation(settings=CALM))
        self.sender = self.enterContext(Providers())
        self.server = self.installation.node("serve", *arguments).start()
        self.installation.add_accounts()

    def register(self, destination, **more):
        return self.server.ask("POST", "/api/v1/destinos", {"url": destination.url, **more}, key="destino-1")

    def pay(self, invoice, cents, is_webhook):
        if is_webhook:
            event = intent_succeeded(f"evt_{invoice}", f"pi_{invoice}", invoice, cents)
            self.assertEqual(self.sender.deliver(event, self.server).status, 200)
            self.installation.wait_settled()
            return
        body = {"fatura_id": invoice, "valor": cents / 100, "meio": "pix"}
        answer = self.server.ask("POST", "/api/v1/pagamentos", body, key=f"pagamento-{invoice}")
        self.assertEqual(answer.status, 201, answer)

    def assert_signed(self, secret, headers, body):
        self.assertEqual(self.sender.verify(secret, headers, body), {"n": unittest.mock.ANY, "ok": True})

    def assert_no_surplus(self, destination, failed):
        """Each came as often as it was tried: once, once more for each failure, and once more for each run that was
        taken over because its owner stood still. Failures that we did not answer are such as were answered too late."""
        def counts():
            [(pending, failures)] = self.installation.rows(
                "SELECT sum(CASE WHEN state = 'pending' THEN 1 ELSE 0 END), sum(attempts) FROM umavez_deliveries")
            return None if int(pending) else int(failures)
        failures = support.wait_until("nothing is pending", lambda: [counts()] if counts() is not None else None)[0]
        [(takeovers,)] = self.installation.rows(
            "SELECT coalesce(sum(takeovers), 0) FROM umavez_records WHERE operation = 'webhook.entregar'")
        disturbed = failures - failed + int(takeovers)
        surplus = len(destination.received) - failed - len(destination.tried)
        self.assertLessEqual(surplus, disturbed, "one was sent again without need")
        self.assertLess(disturbed, len(destination.tried) / 2, "hardly anything was delivered at the first try")

    def test_signed_by_the_standard_and_in_order_for_each_invoice(self):
        self.open("--webhook-allow-private-destinations")
        destination = self.enterContext(Destination(fails_every=4))
        created = self.register(destination)
        self.assertEqual(created.status, 201, created)
        secret = created.json["segredo"]
        office = Office(self.server)
        invoices = [office.add_invoice() for _ in range(INVOICES)]
        for is_webhook in (False, True):
            for invoice in invoices:
                self.pay(invoice, INVOICE_CENTS // 2, is_webhook)
        taken = destination.wait_for(1 + len(STORY) * INVOICES)  # and the subscription

        stories = collections.defaultdict(list)
        for headers, body in taken:
            self.assert_signed(secret, headers, body)
            event = json.loads(body)
            data = event["data"]
            about = data["fatura_id"] if event["type"] == "pagamento.aplicado" else data["id"]
            stories[event["type"].split(".")[0].replace("pagamento", "fatura"), about].append(event["type"])
        self.assertEqual(stories.pop(("assinatura", office.subscription)), ["assinatura.criada"])
        self.assertEqual(dict(stories), {("fatura", invoice): STORY for invoice in invoices})
        failed = [headers for status, headers, _ in destination.received if status == 500]
        self.assertGreater(len(failed), 0)
        self.assertEqual(len(destination.tried), len(taken), "a retry keeps its webhook-id")
        self.assert_no_surplus(destination, len(failed))
        bodies = {(id_of(headers), body) for _, headers, body in destination.received}
        self.assertEqual(len(bodies), len(taken), "a retry keeps its body")

    def test_a_change_of_one_byte_or_of_the_secret_does_not_verify(self):
        self.open("--webhook-allow-private-destinations")
        destination = self.enterContext(Destination())
        secret = self.register(destination, eventos=["fatura.paga"]).json["segredo"]
        invoice = Office(self.server).add_invoice()
        self.pay(invoice, INVOICE_CENTS, is_webhook=True)
        [(headers, body)] = destination.wait_for(1)
        self.assertEqual(json.loads(body)["type"], "fatura.paga")
        self.assert_signed(secret, headers, body)
        self.assertFalse(self.sender.verify(secret, headers, body.replace("100.00", "900.00"))["ok"])
        self.assertFalse(self.sender.verify("whsec_" + "A" * 32, headers, body)["ok"])

    def test_while_a_secret_is_changed_both_verify(self):
        self.open("--webhook-allow-private-destinations")
        destination = self.enterContext(Destination())
        created = self.register(destination, eventos=["fatura.criada"]).json
        changed = self.server.ask("POST", f"/api/v1/destinos/{created['id']}/girar-segredo", {}, key="girar-1")
        self.assertEqual(changed.status, 200, changed)
        Office(self.server).add_invoice()
        [(headers, body)] = destination.wait_for(1)
        for secret in (created["segredo"], changed.json["segredo"]):
            self.assert_signed(secret, headers, body)

    def test_addresses_of_ones_own_network_are_refused_unless_they_are_allowed(self):
        self.open()
        destination = self.enterContext(Destination())
        refused = self.register(destination)
        self.assertEqual((refused.status, refused.problem), (422, "validation"), refused)
        self.assertIn("url", refused.body.decode())


if __name__ == "__main__":
    support.run_tests()
