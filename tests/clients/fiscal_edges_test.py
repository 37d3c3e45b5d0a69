#!/usr/bin/env python3
"""Fiscal documents at the edges: what clients send that they should not, two at a time, certificates that are wrong, an
authority that is asked too often, and the commands of operators. What was sent is told by the authority's ledger.
"""

import collections
import itertools
import json
import shutil
import subprocess
import time

import support
from fiscal import (DOCUMENTS, ISSUER, MUNICIPIO, OTHER_ISSUER, PATIENT, Documents, FiscalInstallation, Simulator,
                    body_of, dps, id_dps, seconds_of, sha256_of)
from postgres import Postgres
from support import in_threads, need, run_child, wait_until

ATTEMPTS = 3


class EdgesTest(support.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.simulator = cls.enterClassContext(Simulator())
        cls.installation = cls.enterClassContext(FiscalInstallation(cls.simulator, tentativas=ATTEMPTS, **PATIENT))
        cls.node = cls.installation.node("serve").start()
        cls.documents = Documents(cls.node)
        cls.numbers = itertools.count(1)

    def account(self, numero, serie="3"):
        return self.simulator.ledger.of(id_dps(numero, serie))

    def row(self, numero, serie="3"):
        return self.documents.find(self.installation, id_dps(numero, serie))

    def emitted(self):
        """A number that is authorised, and its document."""
        numero = next(self.numbers)
        answer = self.documents.post(numero)
        self.assertEqual(answer.status, 201, answer)
        return numero, answer.json["documento"]

    def in_doubt(self, first="answer-lost", questions=1000):
        """A number that is in doubt until free() is called, and its document."""
        numero = next(self.numbers)
        self.simulator.fault("emitir", first, 1, id_dps(numero))
        self.simulator.fault("consultar", "error-500", questions, id_dps(numero))
        answer = self.documents.post(numero)
        self.assertEqual((answer.status, answer.json["documento"]["estado"]), (202, "INDETERMINADO"), answer)
        self.assertTrue(answer.json["documento"]["proxima_conciliacao_em"], answer)
        return numero, answer.json["documento"]

    def wait_estado(self, id, estado):
        return wait_until(f"{id} is {estado}", lambda: self.documents.get(id)["estado"] == estado)

    def refused(self, body, status, problem, key=None):
        """It is refused, and the authority never hears of it."""
        before = len(self.simulator.ledger.requests)
        answer = self.documents.ask("POST", DOCUMENTS, body, key=key)
        self.assertEqual((answer.status, answer.problem), (status, problem), answer)
        self.assertEqual(len(self.simulator.ledger.requests), before)
        return answer


class PostTest(EdgesTest):
    def test_twice(self):
        numero = next(self.numbers)
        first = self.documents.post(numero)
        self.assertEqual((first.status, first.json["sucesso"], first.json["origem"]), (201, True, "emissao"), first)
        self.assertFalse(first.is_replay)
        documento = first.json["documento"]
        account = self.account(numero)
        self.assertEqual((documento["estado"], documento["chave_acesso"]), ("AUTORIZADO", account.chave))
        self.assertEqual(documento["xml_sha256"], sha256_of(dps(numero)))
        self.assertEqual(documento["id_autoridade"], id_dps(numero))
        second = self.documents.post(numero)
        self.assertEqual((second.status, second.is_replay, second.json["origem"]), (200, True, "cache"), second)
        self.assertEqual(second.json["documento"], documento)
        self.assertEqual(self.account(numero).count("emitir"), 1)
        found = self.node.ask("GET", first.headers["Location"])
        self.assertEqual((found.status, found.json), (200, documento), found)
        note = self.node.ask("GET", f"{DOCUMENTS}/{documento['id']}/xml")
        self.assertEqual(note.status, 200)
        self.assertIn(f'Id="NFS{account.chave}"', note.body.decode())
        self.assertIn("xml", note.headers["Content-Type"])
        attempts = self.documents.attempts(documento["id"])
        self.assertEqual([(each["operacao"], each["palavra"]) for each in attempts], [("emitir", "authorised")])

    def test_fifty_at_a_time(self):
        numero = next(self.numbers)
        answers = in_threads(50, lambda _: self.documents.post(numero))
        statuses = collections.Counter(answer.status for answer in answers)
        self.assertEqual(statuses[201], 1, statuses)
        self.assertLessEqual(set(statuses), {200, 201, 202, 409}, statuses)
        for answer in answers:
            if answer.status == 409:
                self.assertNotEqual(answer.headers["Retry-After"], None, answer)
        account = self.account(numero)
        self.assertEqual((account.count("emitir"), len(account.authorised)), (1, 1), account)
        again = self.documents.post_until(numero, (200,))
        self.assertEqual(again.json["documento"]["chave_acesso"], account.chave)

    def test_other_bytes_while_in_doubt(self):
        numero, documento = self.in_doubt()
        other = self.documents.post(numero, valor="99.60")
        self.assertEqual((other.status, other.problem), (409, "documento-em-duvida"), other)
        self.assertEqual({line["sha256"] for line in self.account(numero).requests if line["call"] == "emitir"},
                         {sha256_of(dps(numero))})
        self.simulator.forget_faults()
        found = self.documents.post_until(numero)
        self.assertEqual((found.status, found.json["documento"]["id"]), (200, documento["id"]), found)
        # Even now other bytes get the document that there is.
        other = self.documents.post(numero, valor="99.60")
        self.assertEqual(other.json["documento"]["xml_sha256"], sha256_of(dps(numero)), other)

    def test_doubt_is_looked_into_without_the_client(self):
        for first in ("answer-lost", "drop-request"):
            numero, documento = self.in_doubt(first, questions=ATTEMPTS)
            self.wait_estado(documento["id"], "AUTORIZADO")
            self.assertEqual(len(self.account(numero).authorised), 1)

    def test_corrected_after_a_refusal(self):
        numero = next(self.numbers)
        self.simulator.fault("emitir", "refuse", 1, id_dps(numero))
        refused = self.documents.post(numero)
        self.assertEqual((refused.status, refused.problem), (422, "documento-rejeitado"), refused)
        self.assertFalse(refused.json["sucesso"])
        self.assertEqual(refused.json["mensagens"][0]["codigo"], "E0010")
        documento = refused.json["documento"]
        self.assertEqual(documento["estado"], "REJEITADO")
        corrected = self.documents.post(numero, valor="61.60")
        self.assertEqual((corrected.status, corrected.json["documento"]["id"]), (201, documento["id"]), corrected)
        self.assertGreater(corrected.json["documento"]["versao"], documento["versao"])
        self.assertEqual(self.account(numero).authorised[0]["sha256"], sha256_of(dps(numero, valor="61.60")))

    def test_unknown_issuer(self):
        stranger = "11222333000181"
        self.refused(body_of(next(self.numbers), issuer=stranger), 422, "validation")

    def test_what_the_body_says_is_what_the_xml_says(self):
        numero = next(self.numbers)
        others = {"numero": numero + 1, "serie": "4", "emitente": OTHER_ISSUER, "ambiente": "producao"}
        for name, other in others.items():
            self.refused(body_of(numero) | {name: other}, 422, "validation")
        self.assertIsNone(self.row(numero))

    def test_id_that_is_not_made_of_its_fields(self):
        numero = next(self.numbers)
        wrong = (id_dps(numero + 1), id_dps(numero)[:10] + "1" + id_dps(numero)[11:], id_dps(numero)[:-1], "", "DPS1",
                 id_dps(numero).lower())
        for id in wrong:
            self.refused(body_of(numero, id=id or "x"), 422, "validation")
        self.assertIsNone(self.row(numero))

    def test_xml_that_is_none(self):
        numero = next(self.numbers)
        good = dps(numero)
        bomb = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "lol"}">' for n in range(10))
        prolog, rest = good.split("?>", 1)
        entities = {
            "a bomb": f"{prolog}?><!DOCTYPE DPS [{bomb}]>{rest.replace('51.60', '&a9;')}",
            "a file": f'{prolog}?><!DOCTYPE DPS [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
                      f'{rest.replace("51.60", "&x;")}',
            "a DTD of elsewhere": f'{prolog}?><!DOCTYPE DPS SYSTEM "{self.simulator.url}/evil.dtd">{rest}',
            "an empty DTD": f"{prolog}?><!DOCTYPE DPS []>{rest}",
            "a parameter": f"{prolog}?><!DOCTYPE DPS [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]>{rest}",
        }
        broken = {"nothing": "", "no XML": "x", "half": good[:200], "two": good + good, "no DPS": "<NFSe/>",
                  "other namespace": good.replace("www.sped.fazenda.gov.br/nfse", "example.com"),
                  "two numbers": good.replace("<nDPS>", "<nDPS>7</nDPS><nDPS>", 1),
                  "deep": "<a>" * 100_000, "a lie about UTF-8": good.replace("UTF-8", "UTF-16")}
        for xml in (entities | broken).values():
            answer = self.refused(body_of(numero, xml=xml), 422, "validation")
            self.assertNotIn("root:", answer.body.decode())
        self.assertIsNone(self.row(numero))
        self.assertEqual(self.documents.post(numero).status, 201)

    def test_other_environment(self):
        """tpAmb 1 to where things are tried."""
        numero = next(self.numbers)
        self.refused(body_of(numero, ambiente="1"), 422, "validation")

    def test_key_of_another_document(self):
        first, second = next(self.numbers), next(self.numbers)
        self.assertEqual(self.documents.post(first, key="pedido-1").status, 201)
        self.refused(body_of(second), 409, "idempotency-key-reused", key="pedido-1")
        self.assertIsNone(self.row(second))
        again = self.documents.post(first, key="pedido-1")
        self.assertEqual((again.status, again.json["documento"]["idempotencia_key"]), (200, "pedido-1"), again)
        # The number is what counts: with another key it is the same document.
        other = self.documents.post(first, key="pedido-2")
        self.assertEqual((other.status, other.is_replay), (200, True), other)
        self.assertEqual(self.documents.post(second, key="pedido-3").status, 201)

    def test_unavailable_authority(self):
        """Nothing was stored: the client is told to come later, and the number is free to be sent."""
        numero = next(self.numbers)
        self.simulator.fault("emitir", "maintenance", 1, id_dps(numero))
        answer = self.documents.post(numero)
        self.assertEqual((answer.status, answer.problem), (503, "autoridade-indisponivel"), answer)
        self.assertGreater(int(answer.headers["Retry-After"]), 0)
        self.assertEqual(self.row(numero)[1], "RESERVADO")
        self.assertEqual(self.documents.post(numero).status, 201)


class NumberTest(EdgesTest):
    SERIES = itertools.count(10)

    def make_range(self, **more):
        serie = str(next(self.SERIES))
        body = {"tipo": "nfse-nacional", "ambiente": "homologacao", "emitente": ISSUER, "serie": serie, **more}
        answer = self.node.ask("POST", "/api/v1/numeracao/faixas", body, key=f"faixa-{serie}")
        self.assertEqual(answer.status, 201, answer)
        return serie, answer.json

    def change(self, id, **changes):
        seen = self.node.ask("GET", f"/api/v1/numeracao/faixas/{id}").json
        changed = self.node.ask("PATCH", f"/api/v1/numeracao/faixas/{id}", {**changes, "versao": seen["versao"]},
                                key=f"change-{id}-{seen['versao']}")
        self.assertEqual(changed.status, 200, changed)

    def reserve(self, serie, key):
        return self.node.ask("POST", "/api/v1/numeracao/reservas",
                             {"tipo": "nfse-nacional", "ambiente": "homologacao", "emitente": ISSUER, "serie": serie,
                              "municipio": MUNICIPIO}, key=key)

    def test_reserved_number_is_sent(self):
        serie, _ = self.make_range(ultimo_numero=41)
        reserved = self.reserve(serie, f"r-{serie}")
        self.assertEqual(reserved.status, 201, reserved)
        documento = reserved.json
        self.assertEqual((documento["numero"], documento["estado"]), (42, "RESERVADO"))
        again = self.reserve(serie, f"r-{serie}")
        self.assertTrue(again.is_replay)
        self.refused(body_of(43, serie), 409, "numero-nao-reservado")
        sent = self.documents.post(42, serie=serie)
        self.assertEqual((sent.status, sent.json["documento"]["id"]), (201, documento["id"]), sent)
        self.assertEqual(len(self.account(42, serie).authorised), 1)

    def test_fifty_reservations(self):
        serie, _ = self.make_range()
        answers = in_threads(50, lambda each: self.reserve(serie, f"many-{serie}-{each % 25}"))
        numbers = collections.Counter()
        for answer in answers:
            if answer.status == 409:  # the other of the two is at it
                continue
            self.assertIn(answer.status, (200, 201), answer)
        final = [self.reserve(serie, f"many-{serie}-{each}") for each in range(25)]
        for answer in final:
            numbers[answer.json["numero"]] += 1
        self.assertEqual(sorted(numbers.items()), [(numero, 1) for numero in range(1, 26)])

    def test_blocked_series(self):
        serie, faixa = self.make_range()
        reserved = self.reserve(serie, f"before-{serie}")
        self.change(faixa["id"], bloqueado=True)
        refused = self.reserve(serie, f"after-{serie}")
        self.assertEqual((refused.status, refused.problem), (409, "serie-bloqueada"), refused)
        # What was reserved before keeps its number.
        self.assertEqual(self.reserve(serie, f"before-{serie}").json, reserved.json)
        self.change(faixa["id"], bloqueado=False)
        self.assertEqual(self.reserve(serie, f"then-{serie}").json["numero"], 2)

    def test_no_voiding_service(self):
        answer = self.node.ask("POST", f"{DOCUMENTS}/inutilizacoes", {
            "tipo": "nfse-nacional", "ambiente": "homologacao", "emitente": ISSUER, "serie": "1", "numero_inicial": 1,
            "numero_final": 2, "justificativa": "numeração não usada"}, key="void-1")
        self.assertEqual(answer.status, 422, answer)
        self.assertTrue(answer.problem.startswith("inutilizacao-"), answer)


class CancelTest(EdgesTest):
    def test_two_at_a_time(self):
        numero, documento = self.emitted()
        answers = in_threads(8, lambda _: self.documents.cancel(documento["id"]))
        self.assertLessEqual({answer.status for answer in answers}, {200, 202, 409}, answers)
        final = wait_until("it is cancelled", lambda: (lambda answer: answer if answer.status == 200 else None)(
            self.documents.cancel(documento["id"])))
        self.assertEqual(final.json["documento"]["estado"], "CANCELADO")
        account = self.account(numero)
        self.assertEqual((account.count("cancelar"), len(account.events)), (1, 1), account)

    def test_lost_answer(self):
        numero, documento = self.emitted()
        self.simulator.fault("cancelar", "answer-lost", 1, id_dps(numero))
        answer = self.documents.cancel(documento["id"])
        self.assertEqual((answer.status, answer.json["origem"]), (200, "conciliacao"), answer)
        account = self.account(numero)
        self.assertEqual((account.count("cancelar"), len(account.events)), (1, 1), account)

    def test_never_arrived(self):
        """The same bytes go out again, once nothing can be on its way any more."""
        numero, documento = self.emitted()
        self.simulator.fault("cancelar", "drop-request", 1, id_dps(numero))
        wait_until("it is cancelled", lambda: self.documents.cancel(documento["id"]).status == 200)
        account = self.account(numero)
        self.assertEqual(len(account.events), 1, account)
        digests = [line["sha256"] for line in account.requests if line["call"] == "cancelar"]
        self.assertGreaterEqual(len(digests), 2, account)
        self.assertEqual(len(set(digests)), 1, account)

    def test_behind_our_back(self):
        numero, documento = self.emitted()
        self.simulator.cancel_behind(documento["chave_acesso"])
        found = self.documents.reconcile(documento["id"])
        self.assertEqual((found.status, found.json["origem"], found.json["documento"]["estado"]),
                         (200, "conciliacao", "CANCELADO"), found)
        again = self.documents.post(numero)
        self.assertEqual((again.status, again.problem), (409, "estado-nao-permite"), again)
        self.assertEqual(self.account(numero).count("emitir"), 1)

    def test_behind_our_back_and_then_by_us(self):
        numero, documento = self.emitted()
        self.simulator.cancel_behind(documento["chave_acesso"])
        answer = self.documents.cancel(documento["id"])
        self.assertEqual((answer.status, answer.json["documento"]["estado"]), (200, "CANCELADO"), answer)
        self.assertEqual(len(self.account(numero).events), 1)

    def test_substituted_behind_our_back(self):
        _, documento = self.emitted()
        self.simulator.ask("POST", "/events", {"chave": documento["chave_acesso"], "tipo": "105102"})
        found = self.documents.reconcile(documento["id"])
        self.assertEqual(found.json["documento"]["estado"], "SUBSTITUIDO", found)
        answer = self.documents.cancel(documento["id"])
        self.assertEqual((answer.status, answer.problem), (409, "estado-nao-permite"), answer)

    def test_under_analysis(self):
        """The tax office looks at a cancellation, and grants it."""
        numero, documento = self.emitted()
        self.simulator.ask("POST", "/events", {"chave": documento["chave_acesso"], "tipo": "101103"})
        found = self.documents.reconcile(documento["id"])
        self.assertEqual(found.json["documento"]["estado"], "CANCELAMENTO_EM_ANALISE", found)
        self.simulator.ask("POST", "/events", {"chave": documento["chave_acesso"], "tipo": "105104"})
        self.wait_estado(documento["id"], "CANCELADO")
        self.assertEqual(self.account(numero).count("cancelar"), 0)

    def test_refused_cancellation(self):
        numero, documento = self.emitted()
        self.simulator.fault("cancelar", "refuse", 1, id_dps(numero))
        refused = self.documents.cancel(documento["id"])
        self.assertEqual(refused.status, 422, refused)
        self.assertEqual(self.documents.get(documento["id"])["estado"], "AUTORIZADO")
        self.assertEqual(self.documents.cancel(documento["id"], "Serviço não foi prestado").status, 200)

    def test_what_is_not_authorised(self):
        numero = next(self.numbers)
        self.simulator.fault("emitir", "refuse", 1, id_dps(numero))
        rejected = self.documents.post(numero).json["documento"]["id"]
        _, doubtful = self.in_doubt()
        for id in (rejected, doubtful["id"]):
            answer = self.documents.cancel(id)
            self.assertEqual((answer.status, answer.problem), (409, "estado-nao-permite"), answer)
        self.assertEqual(self.documents.cancel(999999).status, 404)
        self.simulator.forget_faults()
        self.wait_estado(doubtful["id"], "AUTORIZADO")

    def test_reasons(self):
        _, documento = self.emitted()
        for reason in ("", "curta", "x" * 256, None, 7):
            answer = self.documents.cancel(documento["id"], reason)
            self.assertEqual(answer.status, 422, f"{reason}: {answer}")
        self.assertEqual(self.documents.get(documento["id"])["estado"], "AUTORIZADO")
        # Characters that mean something in XML are carried as they are.
        self.assertEqual(self.documents.cancel(documento["id"], "Erro <de> \"emissão\" & 'outros'").status, 200)


class CommandTest(EdgesTest):
    def test_show_and_reconcile(self):
        numero, documento = self.emitted()
        for name in (str(documento["id"]), documento["chave_acesso"], documento["id_idempotencia"], id_dps(numero)):
            printed = self.installation.run("fiscal", "show", name)
            words = (f"document {documento['id']}", "AUTORIZADO", documento["chave_acesso"], "emitir", "authorised")
            for word in words:
                self.assertIn(word, printed, name)
        shown = json.loads(self.installation.run("fiscal", "show", str(documento["id"]), "--json"))
        self.assertEqual(shown["documento"]["chave_acesso"], documento["chave_acesso"])
        self.simulator.cancel_behind(documento["chave_acesso"])
        printed = self.installation.run("fiscal", "reconcile", str(documento["id"]))
        self.assertIn(f"document {documento['id']} is CANCELADO", printed)

    def test_reconcile_while_in_doubt(self):
        numero, documento = self.in_doubt()
        code, printed, complaint = self.installation.try_run("fiscal", "reconcile", str(documento["id"]))
        self.assertEqual(code, 1, complaint)
        self.assertIn("INDETERMINADO", printed)
        self.simulator.forget_faults()
        wait_until("it is found", lambda: self.installation.try_run("fiscal", "reconcile", str(documento["id"]))[0] == 0)
        self.assertEqual(self.row(numero)[1], "AUTORIZADO")

    def test_unknown_document(self):
        code, printed, complaint = self.installation.try_run("fiscal", "show", "999999")
        self.assertEqual((code, printed), (1, ""), complaint)
        self.assertIn("no such document", complaint)

    def test_numbers(self):
        made = self.node.ask("POST", "/api/v1/numeracao/faixas", {
            "tipo": "nfse-nacional", "ambiente": "homologacao", "emitente": OTHER_ISSUER, "serie": "77",
            "ultimo_numero": 12}, key="faixa-77")
        self.assertEqual(made.status, 201, made)
        printed = self.installation.run("fiscal", "numbers")
        line = next(line for line in printed.splitlines() if OTHER_ISSUER in line)
        for word in ("nfse-nacional", "homologacao", "77", "12", "open"):
            self.assertIn(word, line)
        self.assertIn("faixas", json.loads(self.installation.run("fiscal", "numbers", "--json")))


class TenantTest(support.TestCase):
    def test_an_issuer_belongs_to_one_tenant(self):
        with Simulator() as simulator, FiscalInstallation(simulator, **PATIENT) as installation:
            installation.run("migrate")
            tokens = {tenant: installation.run("token", "create", "--tenant", tenant, "--role", "writer").split()[-1]
                      for tenant in ("default", "acme")}
            node = installation.node("serve").start()

            def ask(tenant, method, path, body=None):
                return node.ask(method, path, body, headers={"Authorization": f"Bearer {tokens[tenant]}"})

            stranger = ask("acme", "POST", DOCUMENTS, body_of(1))
            self.assertEqual((stranger.status, stranger.problem), (422, "validation"), stranger)
            self.assertEqual(simulator.ledger.requests, [])
            own = ask("default", "POST", DOCUMENTS, body_of(1))
            self.assertEqual(own.status, 201, own)
            id = own.json["documento"]["id"]
            self.assertEqual(ask("acme", "GET", f"{DOCUMENTS}/{id}").status, 404)
            self.assertEqual(ask("acme", "POST", f"{DOCUMENTS}/{id}/cancelar",
                                 {"justificativa": "Cancelada por um estranho"}).status, 404)
            self.assertEqual(ask("acme", "GET", f"{DOCUMENTS}/{id}/xml").status, 404)
            self.assertEqual(ask("acme", "POST", f"{DOCUMENTS}/{id}/conciliar").status, 404)
            self.assertEqual(len(simulator.ledger.requests), 1)


class GuardTest(support.TestCase):
    """Two servers and their workers share the guard."""

    def start(self, **settings):
        simulator = self.enterContext(Simulator())
        installation = self.enterContext(FiscalInstallation(
            simulator, self.enterContext(Postgres()), **PATIENT, **settings))
        return simulator, installation, [installation.node("serve").start() for _ in range(2)]

    def test_storm_of_questions(self):
        """60 a minute and 10 at once, whoever asks."""
        simulator, _, nodes = self.start(consultas_por_minuto=60)
        ids = []
        for numero in range(1, 13):
            answer = Documents(nodes[numero % 2]).post_until(numero)
            ids.append(answer.json["documento"]["id"])
        began, began_at, statuses = time.monotonic(), time.time(), collections.Counter()

        def is_enough():
            """So many that those who were refused are more than those who were not."""
            return time.monotonic() - began > 6 and statuses[503] > 50

        def ask(number):
            answer = Documents(nodes[number % 2]).reconcile(ids[number % len(ids)])
            self.assertIn(answer.status, (200, 202, 409, 503), answer)
            statuses[answer.status] += 1
            return is_enough()

        in_threads(12, lambda number: wait_until("enough was asked", lambda: ask(number), told=lambda: statuses,
                                                 pause=0.001))
        # An enquiry about an authorised document asks for three events, some time after it was permitted.
        asked = [seconds_of(line) for line in simulator.ledger.requests if line["call"] == "consultar-evento"]
        span = max(asked) - began_at
        self.assertLessEqual(len(asked) / 3, 10 + span + 1, f"{len(asked)} in {span:.1f} s, {statuses}")
        self.assertGreaterEqual(len(asked), 10, statuses)

    def test_too_often(self):
        """After 429 nobody calls until the time that was told is over, and what is not sent is not marked so."""
        simulator, installation, nodes = self.start()
        documents = [Documents(node) for node in nodes]
        first = documents[0].post_until(1)
        id = first.json["documento"]["id"]
        numbers = itertools.count(2)

        def refused():
            """A machine that is so busy that the block is over before the next request gets another one."""
            simulator.fault("consultar-evento", "throttle")
            documents[1].reconcile(id)
            numero = next(numbers)
            answer = documents[0].post(numero)
            if answer.status == 503 and answer.problem != "autoridade-bloqueada":
                return None  # the database stood still
            if answer.status != 503:
                throttled = [seconds_of(line) for line in simulator.ledger.requests if line.get("fault") == "throttle"]
                if throttled:  # or the database stood still before the authority was asked
                    self.assertGreaterEqual(time.time() - throttled[-1], 1.9, answer)
                return None
            return numero, answer

        numero, answer = wait_until("a document is refused", refused)
        self.assertEqual(answer.problem, "autoridade-bloqueada", answer)
        self.assertIn(int(answer.headers["Retry-After"]), (1, 2))
        self.assertEqual(installation.count("documentos_fiscais", "estado NOT IN ('AUTORIZADO', 'RESERVADO')"), 0)
        in_threads(8, lambda each: documents[each % 2].reconcile(id))
        in_threads(8, lambda each: documents[each % 2].cancel(id))
        self.assertIn(documents[1].post_until(numero).status, (200, 201))
        requests = simulator.ledger.requests
        for number, line in enumerate(requests[:-1]):
            if line.get("fault") == "throttle":
                self.assertGreaterEqual(seconds_of(requests[number + 1]) - seconds_of(line), 1.9)


class CertificateTest(support.TestCase):
    """The sentence names what is wrong and where; nothing is marked as sent, and the authority hears nothing."""

    def setUp(self):
        self.simulator = self.enterContext(Simulator(issuers=(ISSUER,)))
        self.openssl = need("openssl")

    def run_openssl(self, *arguments):
        made = run_child([self.openssl, *arguments], cwd=self.simulator.folder, stdin=subprocess.DEVNULL,
                         capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)

    def emitente(self, certificado, senha="umavez", **more):
        settings = {"inscricao": ISSUER, "tenant": "default", "certificado": certificado, "senha": senha, **more}
        return "[[fiscal.emitente]]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())

    def installation(self, emitentes):
        return self.enterContext(FiscalInstallation(self.simulator, emitentes=emitentes, **PATIENT))

    def assert_nothing_sent(self, installation):
        self.assertEqual(installation.count("documentos_fiscais", "estado <> 'RESERVADO'"), 0,
                         installation.rows("SELECT estado, mensagens FROM documentos_fiscais"))
        self.assertEqual(self.simulator.ledger.lines, [])

    def assert_does_not_start(self, emitentes, *words):
        """Neither does it start, nor do its settings pass the check."""
        installation = self.installation(emitentes)
        for command in (("serve", "--listen", "127.0.0.1:0"), ("config", "check")):
            code, _, complaint = installation.try_run(*command)
            self.assertNotEqual(code, 0, command)
            for word in words:
                self.assertIn(word, complaint, command)

    def test_missing_file(self):
        self.assert_does_not_start(self.emitente("/nowhere/loja.pfx"), "/nowhere/loja.pfx", "certificado")

    def test_wrong_password(self):
        self.assert_does_not_start(self.emitente(self.simulator.path("client.pfx"), "errada"), "client.pfx", "senha")

    def test_no_certificate_in_it(self):
        self.assert_does_not_start(self.emitente(self.simulator.path("ledger.jsonl")), "ledger.jsonl")

    def refused_post(self, certificado, problem, *words):
        """The server runs, and says no before it says anything to the authority."""
        installation = self.installation(self.emitente(certificado, ""))
        documents = Documents(installation.node("serve").start())
        answer = documents.post(1)
        self.assertEqual(answer.problem, problem, answer)
        self.assert_nothing_sent(installation)
        # Clients are told that it is the operator's turn, the log tells operators what to do.
        said = installation.nodes[0].log.wait_for('"event":"answered"')
        for word in words:
            self.assertIn(word, said)
        return documents

    def test_expired(self):
        expired = self.simulator.path("expired.pem")
        documents = self.refused_post(expired, "autoridade-nao-configurada", "expired.pem")
        # A new one in the same file is taken without a restart.
        shutil.copy(self.simulator.path("client.pem"), expired)
        answer = documents.post_until(1)
        self.assertEqual(answer.json["documento"]["estado"], "AUTORIZADO")

    def test_of_another_authority(self):
        """The authority does not know who signed it. With TLS 1.3 its refusal comes after the request may have left, so
        the document may stay in doubt: it is sent, once, when the certificate is right."""
        installation = self.installation(self.emitente(self.simulator.path("stranger.pem"), ""))
        documents = Documents(installation.node("serve").start())
        answer = documents.post(1)
        self.assertIn(answer.status, (202, 409, 503), answer)
        self.assertEqual(self.simulator.ledger.lines, [])
        if answer.status == 202:
            said = " ".join(str(each["detalhe"]) for each in documents.attempts(answer.json["documento"]["id"]))
            self.assertRegex(said, "certificate|unknown ca|reset")
        installation.nodes[0].stop()
        shutil.copy(self.simulator.path("client.pem"), self.simulator.path("stranger.pem"))
        installation.nodes[0].start()
        self.assertEqual(documents.post_until(1).json["documento"]["estado"], "AUTORIZADO")
        self.assertEqual(len(self.simulator.ledger.of(id_dps(1)).authorised), 1)

    def test_server_of_another_authority(self):
        """We do not know who signed theirs: nothing is told to it."""
        own, other = self.simulator.path("ca.pem"), self.simulator.path("stranger.pem")
        self.simulator.settings = self.simulator.settings.replace(own, other)
        self.refused_post(self.simulator.path("client.pem"), "autoridade-indisponivel", "certificate")

    def test_old_pfx(self):
        """RC2 with 40 bits for the certificate and 3DES for the key, as issuers still get them."""
        self.run_openssl("pkcs12", "-export", "-legacy", "-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-RC2-40",
                         "-in", "client.pem", "-out", "old.pfx", "-passout", "pass:segredo")
        installation = self.installation(self.emitente(self.simulator.path("old.pfx"), "segredo"))
        answer = Documents(installation.node("serve").start()).post(1)
        self.assertEqual(answer.status, 201, answer)

    def test_of_another_company(self):
        with Simulator(issuers=(OTHER_ISSUER,)) as stranger:
            self.refused_post(stranger.path("client.pem"), "autoridade-nao-configurada", OTHER_ISSUER)


del EdgesTest  # what it has is run by those that are made of it

if __name__ == "__main__":
    support.run_tests()
