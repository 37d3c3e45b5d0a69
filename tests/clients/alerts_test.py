#!/usr/bin/env python3
"""deploy/alerts.yml against a running server: every metric, label and value a rule names is one that /metrics has."""

import os
import re

import support
from support import Server, client_of, wait_until

RULES = os.path.join(os.path.dirname(__file__), "..", "..", "deploy", "alerts.yml")
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? \S+$")
LABEL = re.compile(r'(\w+)(=~?)"([^"]*)"')


# Whoever sends the token is believed; an event that names a conta has no tenant here.
PROVIDER = """
[[webhook.provider]]
name = "banco"
scheme = "token"
header = "X-Token"
secrets = ["s"]
type = "/tipo"
account = "/conta"
"""


def event_of(identity, **more):
    """A payment that nobody can apply: it is not in BRL."""
    data = {"id": "p", "fatura_id": 1, "valor": 1, "moeda": "USD"}
    return {"id": identity, "tipo": "pagamento.confirmado", "data": data, **more}


def samples_of(text):
    """Every sample as (name, labels)."""
    lines = (SAMPLE.match(line) for line in text.splitlines() if not line.startswith("#"))
    return [(found[1], {name: value for name, _, value in LABEL.findall(found[2] or "")}) for found in lines if found]


def selectors_of(expression):
    """Every metric that an expression names, with what it asks of the labels."""
    for found in re.finditer(r"(umavez_\w+)(?:\{([^}]*)\})?", expression):
        yield found[1], LABEL.findall(found[2] or "")


def fits(labels, wanted):
    return all(re.fullmatch(value, labels.get(name, "")) if how == "=~" else labels.get(name) == value
               for name, how, value in wanted)


class AlertsTest(support.TestCase):
    def receive_events(self, server):
        """One that will be dead, one that waits, one that is quarantined: counters appear when they count."""
        server.run("accounts", "add", "--provider", "banco", "--tenant", "default")
        for event, status in ((event_of("a"), 200), (event_of("b", conta="c"), 200), (event_of("a", nota="x"), 409)):
            answer = server.ask("POST", "/webhooks/banco", event, headers={"X-Token": "s"})
            self.assertEqual(answer.status, status, answer.body)

    def processed_samples(self, server):
        text = server.ask("GET", "/metrics").body
        samples = samples_of(text if isinstance(text, str) else text.decode())
        states = {labels["state"] for name, labels in samples if name == "umavez_webhook_processed_total"}
        return samples if {"dead", "waiting"} <= states else None

    def test_every_rule_finds_what_it_names(self):
        with open(RULES, encoding="utf-8") as file:
            rules = file.read()
        expressions = re.findall(r"^\s+expr: (.*)$", rules, re.MULTILINE)
        self.assertEqual(len(expressions), rules.count("- alert:"))
        server = Server()
        with open(os.path.join(server.folder.name, "umavez.toml"), "w", encoding="utf-8") as file:
            file.write(PROVIDER)
        with server:
            self.assertEqual(server.ask("POST", "/api/v1/clientes", client_of("a"), "a").status, 201)
            self.receive_events(server)
            samples = wait_until("a dead and a waiting event", lambda: self.processed_samples(server))

        for expression in expressions:
            for name, wanted in selectors_of(expression):
                # It only has a value while there is such a record.
                if name == "umavez_oldest_record_seconds":
                    wanted = [("status", "=", "succeeded")]
                self.assertTrue(
                    any(each == name and fits(labels, wanted) for each, labels in samples),
                    f"{expression}: no {name} with {wanted}")
            for grouped in re.findall(r"by \((\w+)\)", expression):
                names = [name for name, _ in selectors_of(expression)]
                self.assertTrue(any(each in names and grouped in labels for each, labels in samples), expression)


if __name__ == "__main__":
    support.run_tests()
