#!/usr/bin/env python3
"""deploy/alerts.yml against a running server: every metric, label and value a rule names is one that /metrics has."""

import os
import re
import unittest

import support
from support import Server, client_of

RULES = os.path.join(os.path.dirname(__file__), "..", "..", "deploy", "alerts.yml")
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? \S+$")
LABEL = re.compile(r'(\w+)(=~?)"([^"]*)"')


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


class AlertsTest(unittest.TestCase):
    def test_every_rule_finds_what_it_names(self):
        with open(RULES, encoding="utf-8") as file:
            rules = file.read()
        expressions = re.findall(r"^\s+expr: (.*)$", rules, re.MULTILINE)
        self.assertEqual(len(expressions), rules.count("- alert:"))
        with Server() as server:
            self.assertEqual(server.ask("POST", "/api/v1/clientes", client_of("a"), "a").status, 201)
            text = server.ask("GET", "/metrics").body
        samples = samples_of(text if isinstance(text, str) else text.decode())

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
