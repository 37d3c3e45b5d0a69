#!/usr/bin/env python3
"""/openapi.json before a validator that others wrote: it is OpenAPI 3.1, and every reference in it leads somewhere."""

import os
import subprocess
import unittest

import support
from support import Server

CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
PACKAGES = os.environ.get("UMAVEZ_CLIENTS_NODE") or os.path.join(CACHE, "umavez-clients")
VALIDATOR = os.path.join(PACKAGES, "node_modules", "@seriousme", "openapi-schema-validator")

# Reads a document from standard input and tells what is wrong with it.
PROGRAM = """
import { readFileSync } from "node:fs";
const { Validator } = await import(process.argv[1] + "/index.js");
const validator = new Validator();
const result = await validator.validate(JSON.parse(readFileSync(0, "utf8")));
if (!result.valid) { console.log(JSON.stringify(result.errors, null, 1)); process.exit(1); }
validator.resolveRefs();
console.log(validator.version);
"""


class OpenApiTest(support.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = support.need("node")
        if not os.path.isdir(VALIDATOR):
            raise unittest.SkipTest(f"the validator is not in {PACKAGES}; ./dev packages installs it from npm")

    def setUp(self):
        self.server = self.enterContext(Server())
        self.document = self.server.ask("GET", "/openapi.json")

    def operations(self):
        for path, methods in self.document.json["paths"].items():
            for method, operation in methods.items():
                yield f"{method.upper()} {path}", operation

    def validate(self, document):
        return support.run_child(
            [self.node, "--input-type=module", "-e", PROGRAM, VALIDATOR], input=document,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_a_validator_of_others_accepts_it(self):
        ran = self.validate(self.document.body)

        self.assertEqual(ran.returncode, 0, ran.stdout.decode() + ran.stderr.decode())
        self.assertEqual(ran.stdout.decode().strip(), "3.1")

    def test_the_validator_finds_what_is_wrong(self):
        self.assertEqual(self.validate(self.document.body.replace(b'"responses"', b'"answers"')).returncode, 1)

    def test_every_answer_names_its_headers(self):
        for name, operation in self.operations():
            for status, answer in operation["responses"].items():
                with self.subTest(f"{name} {status}"):
                    if status == "default":
                        continue
                    self.assertIn("X-Request-Id", answer["headers"])
                    if status == "503":
                        self.assertIn("Retry-After", answer["headers"])
                    # A fiscal document is known by its natural key, and a header is only kept beside it.
                    is_protected = name != "POST /api/v1/documentos-fiscais"
                    if is_protected and any(field["name"] == "Idempotency-Key"
                                            for field in operation.get("parameters", [])):
                        self.assertIn("Idempotency-Guarantee", answer["headers"])

    def test_versions_may_be_named_by_a_header(self):
        operations = dict(self.operations())
        for path in ("PATCH /api/v1/propostas/{id}", "POST /api/v1/propostas/{id}/submeter"):
            names = [field["name"] for field in operations[path]["parameters"]]
            self.assertIn("If-Match", names)
            self.assertIn("412", operations[path]["responses"])
        submitted = operations["POST /api/v1/propostas/{id}/submeter"]["responses"]["200"]
        self.assertEqual(submitted["content"]["application/json"]["example"]["estado"], "enviada")
        self.assertIn("Idempotent-Replayed", submitted["headers"])

    def test_what_needs_no_token_says_so(self):
        for name, operation in self.operations():
            path = name.split()[1]
            is_open = not path.startswith(("/api", "/ops"))
            with self.subTest(name):
                self.assertEqual({} in operation.get("security", [{"bearer": []}]) or operation.get("security") == [],
                                 is_open)


if __name__ == "__main__":
    support.run_tests()
