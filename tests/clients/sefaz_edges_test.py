#!/usr/bin/env python3
"""NF-e and NFC-e at their edges: contingency, numbers that are voided, an authority that wants to be left alone for an
hour, several senders of one number, XML that means harm, and signatures that others than the program have to believe.
"""

import itertools
import sqlite3
import time
from os import path

import support
from fiscal import DOCUMENTS, ISSUER, OTHER_ISSUER, seconds_of
from sefaz import (CANCELLATION, NAMESPACE, OPEN, PATIENT, SUBSTITUTION, FiscalInstallation, Note, Notes, Simulator,
                   run_xmlsec, unpacked, verify)
from support import wait_until

ATTEMPTS = 2


class EdgesTest(support.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.simulator = cls.enterClassContext(Simulator())
        cls.installation = cls.enterClassContext(FiscalInstallation(cls.simulator, tentativas=ATTEMPTS, **PATIENT))
        cls.notes = Notes(cls.installation.node("serve").start())
        cls.numbers = itertools.count(1)

    @classmethod
    def tearDownClass(cls):
        cls.simulator.ledger.check()

    def new_note(self, tipo="nfce", **more):
        return Note(self.simulator, tipo, next(self.numbers), **more)

    def account(self, note):
        return self.simulator.ledger.of(note)

    def emit(self, note, status=201, **more):
        answer = self.notes.post(note, **more)
        self.assertEqual(answer.status, status, answer)
        return answer.json["documento"]

    def refused(self, answer, status, problem):
        self.assertEqual((answer.status, answer.problem), (status, problem), answer)
        return answer.json

    def wait_for(self, id, *estados):
        def there():
            documento = self.notes.get(id)
            return documento["estado"] in estados and documento
        return wait_until(f"document {id} is {estados}", there, told=lambda: self.notes.get(id))

    def leave_in_doubt(self, note, first):
        """The first answer is lost, and then questions are answered by nobody until end_doubt()."""
        self.simulator.fault("emitir", first, 1, note.documento)
        self.simulator.fault("consultar", "error-500", 1000, note.documento)
        documento = self.emit(note, 202)
        self.assertEqual(documento["estado"], "INDETERMINADO")
        return documento

    def end_doubt(self, id):
        """The worker's pauses have grown meanwhile: a person asks."""
        self.simulator.forget_faults()

        def ended():
            self.notes.reconcile(id)
            return self.notes.get(id)["estado"] != "INDETERMINADO"
        wait_until(f"nobody doubts what became of document {id}", ended, told=lambda: self.notes.get(id))


class ContingencyTest(EdgesTest):
    def replace(self, first):
        """An NFC-e in doubt, and the off-line note that took its place: (note, its id, the other's note and id)."""
        note = self.new_note()
        id = self.leave_in_doubt(note, first)["id"]
        self.refused(self.notes.post(note.but(tp_emis=9)), 409, "numero-em-uso")
        offline = self.new_note(tp_emis=9)
        other = self.emit(offline, substitui=id)
        self.assertEqual((other["estado"], other["chave_acesso"]), ("AUTORIZADO", offline.chave))
        self.assertEqual(self.notes.get(id)["substituto_id"], other["id"])
        self.end_doubt(id)
        return note, id, offline, other["id"]

    def test_the_pending_one_was_authorised(self):
        note, id, offline, other = self.replace("answer-lost")
        found = self.wait_for(id, "AUTORIZADO")
        self.assertIsNotNone(found["prazo_substituicao"], found)
        self.assertIsNotNone(found["alerta"], found)
        cancelled = self.notes.cancel(id)
        self.assertEqual(cancelled.status, 200, cancelled)
        account = self.account(note)
        self.assertEqual(account.cancellations, [SUBSTITUTION], account)
        self.assertEqual(account.events[0]["substituta"], offline.chave)
        self.assertEqual(self.notes.get(id)["estado"], account.estado)
        self.assertEqual(account.count("emitir"), 1)
        again = self.notes.cancel(id)
        self.assertEqual((again.status, again.json["origem"]), (200, "cache"), again)
        self.refused(self.notes.post(note), 409, "estado-nao-permite")
        self.assertEqual(self.notes.get(other)["estado"], "AUTORIZADO")

    def test_the_pending_one_never_arrived(self):
        note, id, _, other = self.replace("drop-request")
        absent = self.wait_for(id, "REJEITADO")
        self.assertIsNotNone(absent["prazo_inutilizacao"], absent)
        again = self.notes.post(note)
        self.assertEqual(again.status, 409, again)
        self.assertEqual(self.account(note).count("emitir"), 1, "what was replaced was sent again")
        voided = self.notes.void(note)
        self.assertEqual((voided.status, voided.json["documentos"][0]["estado"]), (200, "INUTILIZADO"), voided)
        self.assertEqual(self.account(note).estado, "INUTILIZADO")
        self.assertEqual(self.notes.get(other)["estado"], "AUTORIZADO")

    def test_cancellation_by_substitution_whose_answer_is_lost(self):
        note, id, offline, _ = self.replace("answer-lost")
        self.wait_for(id, "AUTORIZADO")
        self.simulator.fault("cancelar", "answer-lost", 1, note.documento)
        answer = self.notes.cancel(id)
        self.assertIn(answer.status, (200, 202), answer)
        self.wait_for(id, "SUBSTITUIDO")
        account = self.account(note)
        self.assertEqual((account.cancellations, account.estado), ([SUBSTITUTION], "SUBSTITUIDO"), account)

    def test_who_may_take_whose_place(self):
        online, other = self.new_note(), self.new_note("nfe")
        id, nfe = self.emit(online)["id"], self.emit(other)["id"]
        for note, substitui in ((self.new_note(), id), (self.new_note(tp_emis=9), nfe), (self.new_note(tp_emis=9), 999999),
                                (self.new_note(tp_emis=9, issuer=OTHER_ISSUER), id)):
            self.refused(self.notes.post(note, substitui=substitui), 409, "substituicao-impossivel")
            self.assertEqual(self.account(note).requests, [])

    def test_off_line_note_of_a_reserved_number(self):
        """The numbers of a series that umavez gives out are for off-line notes too."""
        serie = {"tipo": "nfce", "ambiente": "homologacao", "emitente": ISSUER, "serie": "77"}
        made = self.notes.ask("POST", "/api/v1/numeracao/faixas", {**serie, "ultimo_numero": 0}, key="faixa-77")
        self.assertEqual(made.status, 201, made)
        numeros = []
        for tp_emis in (1, 9):
            reserved = self.notes.ask("POST", "/api/v1/numeracao/reservas", {**serie, "uf": "35", "tp_emis": tp_emis},
                                      key=f"venda-77-{tp_emis}")
            self.assertEqual(reserved.status, 201, reserved)
            numeros.append(reserved.json.get("documento", reserved.json)["numero"])
        self.assertEqual(numeros, [1, 2])
        offline = Note(self.simulator, "nfce", numeros[1], serie=77, tp_emis=9)
        self.assertEqual(self.emit(offline)["numero"], 2)


class VoidingTest(EdgesTest):
    def refuse(self, note):
        self.simulator.fault("emitir", "refuse", 1, note.documento)
        answer = self.notes.post(note)
        self.assertEqual(answer.status, 422, answer)
        return answer.json["documento"]["id"]

    def test_range(self):
        for tipo in ("nfe", "nfce"):
            notes = [self.new_note(tipo) for _ in range(3)]
            for note in notes:
                self.refuse(note)
            done = self.notes.void(notes[0], last=notes[-1].numero)
            self.assertEqual((done.status, done.json["sucesso"]), (200, True), done)
            self.assertEqual({each["estado"] for each in done.json["documentos"]}, {"INUTILIZADO"})
            for note, documento in zip(notes, done.json["documentos"]):
                account = self.account(note)
                self.assertEqual([line["protocolo"] for line in account.voided], [documento["protocolo"]], account)
                self.refused(self.notes.post(note), 409, "estado-nao-permite")
                self.assertEqual(self.account(note).count("emitir"), 1)
            again = self.notes.void(notes[0], last=notes[-1].numero)
            self.assertEqual((again.status, again.json["origem"], again.is_replay), (200, "cache", True), again)
            self.assertEqual(sum(len(self.account(note).voidings) for note in notes), 3)

    def test_lost_answer(self):
        note = self.new_note("nfe")
        id = self.refuse(note)
        self.simulator.fault("inutilizar", "answer-lost", 1, note.range_id)
        answer = self.notes.void(note)
        # Where the process stood still the request may have gone out again.
        self.assertIn((answer.status, answer.json.get("effect")), ((202, "unknown"), (200, None)), answer)
        # While nobody knows the number is nobody's.
        self.assertIn(self.notes.post(note).status, (202, 409))
        found = self.wait_for(id, "INUTILIZADO")
        account = self.account(note)
        self.assertEqual([line["protocolo"] for line in account.voided], [found["protocolo"]])
        self.assertGreaterEqual(len(account.voidings), 2)  # the second one was told 563
        self.assertEqual(len({line["sha256"] for line in account.voidings}), 1, "it was made anew")
        self.assertEqual(account.count("emitir"), 1)

    def test_number_in_doubt_is_not_voided(self):
        note, other = self.new_note("nfe"), self.new_note("nfe")
        self.refuse(other)
        id = self.leave_in_doubt(note, "answer-lost")["id"]
        body = self.refused(self.notes.void(note, last=other.numero), 409, "numeros-nao-inutilizaveis")
        self.assertEqual([each["numero"] for each in body["numeros"]], [note.numero])
        self.assertEqual(self.account(note).voidings + self.account(other).voidings, [])
        self.end_doubt(id)
        self.wait_for(id, "AUTORIZADO")
        self.refused(self.notes.void(note), 409, "numeros-nao-inutilizaveis")
        self.assertEqual(self.account(note).voidings, [])

    def test_number_that_somebody_else_uses(self):
        """Reserved here, and emitted by another system of the issuer: the authority says 241."""
        serie = {"tipo": "nfe", "ambiente": "homologacao", "emitente": ISSUER, "serie": "78"}
        made = self.notes.ask("POST", "/api/v1/numeracao/faixas", {**serie, "ultimo_numero": 0}, key="faixa-78")
        self.assertEqual(made.status, 201, made)
        reserved = self.notes.ask("POST", "/api/v1/numeracao/reservas", {**serie, "uf": "35"}, key="venda-78")
        self.assertEqual(reserved.status, 201, reserved)
        documento = reserved.json.get("documento", reserved.json)
        note = Note(self.simulator, "nfe", documento["numero"], serie=78)
        with FiscalInstallation(self.simulator, **PATIENT) as elsewhere:
            self.assertEqual(Notes(elsewhere.node("serve").start()).post(note).status, 201)
        refused = self.notes.void(note)
        self.assertIn(refused.status, (409, 422), refused)
        self.assertEqual(self.account(note).voided, [])
        self.assertNotIn(self.notes.get(documento["id"])["estado"], OPEN)

    def test_reserved_number(self):
        serie = {"tipo": "nfce", "ambiente": "homologacao", "emitente": ISSUER, "serie": "79"}
        self.notes.ask("POST", "/api/v1/numeracao/faixas", {**serie, "ultimo_numero": 0}, key="faixa-79")
        reserved = self.notes.ask("POST", "/api/v1/numeracao/reservas", {**serie, "uf": "35"}, key="venda-79")
        documento = reserved.json.get("documento", reserved.json)
        note = Note(self.simulator, "nfce", documento["numero"], serie=79)
        done = self.notes.void(note)
        self.assertEqual((done.status, done.json["documentos"][0]["estado"]), (200, "INUTILIZADO"), done)
        self.assertEqual(self.account(note).estado, "INUTILIZADO")
        self.refused(self.notes.post(note), 409, "estado-nao-permite")
        self.assertEqual(self.account(note).count("emitir"), 0)


class TooOftenTest(EdgesTest):
    """656: the issuer is left alone for an hour, whatever is asked meanwhile, and others are not."""

    def pass_hour(self):
        """For the program; the simulator's hour is a second, in which nobody may call."""
        wait_until("nobody called for an hour", lambda: time.time() - self.last_call() > 1.1)
        database = sqlite3.connect(path.join(self.installation.folder, "umavez.db"), timeout=support.WAIT_SECONDS)
        with database:
            database.execute("UPDATE fiscal_guarda SET bloqueada_ate = 0")
        database.close()

    def requests(self):
        return [line for line in self.simulator.ledger.lines
                if line["event"] == "request" and line["caller"] == OTHER_ISSUER]

    def last_call(self):
        """When it was, by the simulator's clock."""
        return seconds_of(self.requests()[-1])

    def calls(self):
        return len(self.requests())

    def blocked(self, answer):
        self.refused(answer, 503, "autoridade-bloqueada")
        self.assertGreater(int(answer.headers["Retry-After"]), 3500)

    def test_every_call(self):
        first, second, third = (self.new_note("nfe", issuer=OTHER_ISSUER) for _ in range(3))
        authorised = self.emit(second)["id"]
        self.simulator.fault("emitir", "refuse", 1, third.documento)
        self.emit_refused(third)
        self.simulator.fault("emitir", "throttle", 1, first.documento)
        self.blocked(self.notes.post(first))
        called = self.calls()
        for answer in (self.notes.post(first), self.notes.cancel(authorised), self.notes.void(third),
                       self.notes.post(self.new_note("nfce", issuer=OTHER_ISSUER))):
            self.blocked(answer)
        self.assertEqual(self.calls(), called, "a blocked authority was called")
        self.emit(self.new_note("nfe"))
        self.pass_hour()
        self.emit(first)

        for call, change in (("cancelar", lambda: self.notes.cancel(authorised)),
                             ("inutilizar", lambda: self.notes.void(third))):
            self.simulator.fault(call, "throttle", 1)
            self.blocked(change())
            called = self.calls()
            self.blocked(change())
            self.assertEqual(self.calls(), called, call)
            self.pass_hour()
            answer = change()
            self.assertEqual(answer.status, 200, answer)

    def emit_refused(self, note):
        answer = self.notes.post(note)
        self.assertEqual(answer.status, 422, answer)

    def test_question(self):
        note = self.new_note("nfce", issuer=OTHER_ISSUER)
        self.simulator.fault("emitir", "answer-lost", 1, note.documento)
        self.simulator.fault("consultar", "throttle", 1, note.documento)
        documento = self.emit(note, 202)
        called = self.calls()
        again = self.notes.reconcile(documento["id"])
        self.assertEqual((again.status, again.json["documento"]["estado"]), (202, "INDETERMINADO"), again)
        self.assertEqual(self.notes.post(note).status, 202)
        self.assertEqual(self.calls(), called, "a blocked authority was asked")
        self.pass_hour()
        found = self.notes.reconcile(documento["id"])
        self.assertEqual((found.status, found.json["documento"]["estado"]), (200, "AUTORIZADO"), found)


class OneNumberTest(EdgesTest):
    def test_many_clients(self):
        """One natural key, one transmission; and a note that is built anew is the same note."""
        for tipo in ("nfe", "nfce"):
            note = self.new_note(tipo)
            other = note.but(c_nf="87654321")
            self.assertEqual(note.documento, other.documento)
            self.assertNotEqual(note.chave, other.chave)
            self.simulator.fault("emitir", "slow", 1, note.documento)
            answers = support.in_threads(10, lambda each: self.notes.post((note, other)[each % 2]))
            self.assertLessEqual({answer.status for answer in answers}, {200, 201, 202, 409}, answers)
            account = self.account(note)
            self.assertEqual(account.count("emitir"), 1, account)
            id = next(answer.json["documento"]["id"] for answer in answers if "documento" in answer.json)
            documento = self.wait_for(id, "AUTORIZADO")
            account = self.account(note)
            self.assertEqual((len(account.authorised), account.count("emitir")), (1, 1), account)
            self.assertEqual(documento["chave_acesso"], account.chave)
            for each in (note, other):
                self.notes.post(each)
            self.assertEqual(self.account(note).count("emitir"), 1)


class HarmTest(EdgesTest):
    """XML that means harm is refused before anything is kept, and the server goes on."""

    def test_refused(self):
        note = self.new_note("nfe")
        good = note.xml
        prolog, rest = good.split("?>", 1)
        bomb = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "lol"}">' for n in range(10))
        signature = good[good.index("<Signature"):good.index("</NFe>")]
        signed = good[good.index("<infNFe"):good.index("</infNFe>") + 9]
        evil = signed.replace("LOJA LTDA", "LADRAO SA")
        elsewhere = f"http://127.0.0.1:{self.simulator.ports[1]}/evil"
        cases = {
            "a bomb": f"{prolog}?><!DOCTYPE NFe [{bomb}]>{rest.replace('venda', '&a9;')}",
            "a file": f'{prolog}?><!DOCTYPE NFe [<!ENTITY x SYSTEM "file:///etc/passwd">]>{rest.replace("venda", "&x;")}',
            "a DTD of elsewhere": f'{prolog}?><!DOCTYPE NFe SYSTEM "{elsewhere}.dtd">{rest}',
            "a parameter entity": f'{prolog}?><!DOCTYPE NFe [<!ENTITY % x SYSTEM "{elsewhere}"> %x;]>{rest}',
            "a DTD that does nothing": f"{prolog}?><!DOCTYPE NFe>{rest}",
            "another namespace": note.but(namespace="http://www.sped.fazenda.gov.br/nfse").xml,
            "no namespace": note.but(is_signed=False).xml.replace(f' xmlns="{NAMESPACE}"', ""),
            "no signature": note.but(is_signed=False).xml,
            "changed afterwards": good.replace("venda", "doada"),
            "a signature of something else": note.unsigned.replace("</NFe>", self.new_note("nfe").xml.split(
                "</infNFe>")[1]),
            "wrapped, the signed one beside": good.replace(signed, evil).replace(
                "</NFe>", f"<Object>{signed}</Object></NFe>"),
            "wrapped, the signed one in the signature": good.replace(signed, evil).replace(
                "</Signature>", f"<Object>{signed}</Object></Signature>"),
            "wrapped, two of one Id": good.replace(signed, evil + signed),
            "wrapped, the other one last": good.replace(signed, signed + evil),
            "wrapped, another Id in front": good.replace(signed, evil.replace(
                note.chave, self.new_note("nfe").chave) + signed),
            "wrapped as a whole": f'{prolog}?><NFe xmlns="{NAMESPACE}">{evil}<x>{rest.strip()}</x></NFe>',
            "two signatures": good.replace("</NFe>", f"{signature}</NFe>"),
            "beside the signed one": note.but(beside="<infNFeSupl/>").xml.replace("<infNFeSupl/>", evil),
            "a reference to elsewhere": good.replace(f'URI="#NFe{note.chave}"', f'URI="{elsewhere}"'),
            "a reference to all": good.replace(f'URI="#NFe{note.chave}"', 'URI=""'),
            "a program as transform": good.replace(
                "http://www.w3.org/2000/09/xmldsig#enveloped-signature", "http://www.w3.org/TR/1999/REC-xslt-19991116"),
            "a key for all": good.replace("xmldsig#rsa-sha1", "xmldsig#hmac-sha1"),
            "an Id of another key": note.but(id=f"NFe{self.new_note('nfe').chave}").xml,
            "deep": f'{prolog}?><NFe xmlns="{NAMESPACE}">{"<a>" * 100000}{"</a>" * 100000}</NFe>',
            "cut": good[:len(good) // 2],
            "something behind": good.strip() + "<NFe/>",
            "no XML": "{}",
            "empty": "",
            "blanks": " " * 1000,
            "an NFC-e": self.new_note("nfce").xml,
            "too large": note.but(nat_op="v" * 600_000).xml,
            "many attributes": good.replace("<ide>", "<ide " + " ".join(f'a{n}="1"' for n in range(2000)) + ">"),
        }
        before = [self.installation.count(table) for table in ("documentos_fiscais", "documentos_xml")]
        called = len(self.simulator.ledger.lines)
        for case, xml in cases.items():
            with self.subTest(case):
                answer = self.notes.try_ask("POST", DOCUMENTS, {"tipo": "nfe", "xml": xml})
                self.assertIsNotNone(answer, "no answer")
                self.assertEqual((answer.status, answer.problem), (422, "validation"), answer)
                self.assertIn("xml", str(answer.json["errors"] if "errors" in answer.json else answer.json), answer)
                self.assertNotIn("root:", answer.body.decode())
        after = [self.installation.count(table) for table in ("documentos_fiscais", "documentos_xml")]
        self.assertEqual(after, before, "something was kept")
        self.assertEqual(len(self.simulator.ledger.lines), called, "something was sent")
        self.emit(note)

    def test_body_that_is_too_large(self):
        note = self.new_note("nfe")
        answer = self.notes.try_ask("POST", DOCUMENTS, {"tipo": "nfe", "xml": "<a>" * 20_000_000})
        self.assertTrue(answer is None or answer.status in (413, 422), answer)
        self.emit(note)


class SignatureTest(EdgesTest):
    """Whatever the program signs is believed by xmlsec1, and so are the bytes that the authority got."""

    def check(self, text, element):
        ca = self.simulator.path("ca.pem")
        verify(text, ca, f"{NAMESPACE}:{element}")
        self.assertIn("xJust", text)
        spoilt = text.replace("Falha", "Fralda")
        self.assertNotEqual(run_xmlsec("--verify", "--trusted-pem", ca, text=spoilt, element=f"{NAMESPACE}:{element}")[0],
                            0, "xmlsec1 believes everything")

    def kept(self, id):
        """What the program keeps for a document, as text."""
        database = sqlite3.connect(path.join(self.installation.folder, "umavez.db"))
        try:
            rows = database.execute("SELECT * FROM documentos_xml WHERE documento_id = ?", (id,)).fetchall()
        finally:
            database.close()
        return " ".join(str(value if not isinstance(value, bytes) else value.decode("utf-8", "replace"))
                        for row in rows for value in row)

    def test_events(self):
        for issuer, tipo in ((ISSUER, "nfe"), (ISSUER, "nfce"), (OTHER_ISSUER, "nfe")):
            note = self.new_note(tipo, issuer=issuer)
            id = self.emit(note)["id"]
            answer = self.notes.cancel(id)
            self.assertEqual(answer.status, 200, answer)
            event = self.account(note).events[0]
            self.assertEqual(event["tipo"], CANCELLATION)
            self.check(unpacked(event["pedido"]), "infEvento")
            self.assertIn("procEventoNFe", self.kept(id))
            shown = self.notes.ask("GET", f"{DOCUMENTS}/{id}/xml")
            self.assertEqual(shown.status, 200, shown)

    def test_substitution(self):
        note, offline = self.new_note(), self.new_note(tp_emis=9)
        id = self.emit(note)["id"]
        self.emit(offline, substitui=id)
        self.assertEqual(self.notes.cancel(id).status, 200)
        event = self.account(note).events[0]
        self.assertEqual(event["tipo"], SUBSTITUTION)
        self.check(unpacked(event["pedido"]), "infEvento")

    def test_voiding(self):
        note = self.new_note("nfe")
        self.simulator.fault("emitir", "refuse", 1, note.documento)
        self.assertEqual(self.notes.post(note).status, 422)
        self.assertEqual(self.notes.void(note).status, 200)
        self.check(unpacked(self.account(note).voided[0]["pedido"]), "infInut")

    def test_authorised_note(self):
        """nfeProc has the note as it was signed, and the authority got the same bytes."""
        note = self.new_note("nfe")
        id = self.emit(note)["id"]
        account = self.account(note)
        self.assertEqual(account.authorised[0]["sha256"], note.sha256)
        verify(unpacked(account.authorised[0]["xml"]), self.simulator.path("ca.pem"), f"{NAMESPACE}:infNFe")
        shown = self.notes.ask("GET", f"{DOCUMENTS}/{id}/xml")
        self.assertIn("nfeProc", shown.body.decode())
        verify(shown.body.decode(), self.simulator.path("ca.pem"), f"{NAMESPACE}:infNFe")


class CommandTest(EdgesTest):
    def test_commands(self):
        note = self.new_note("nfce")
        id = self.leave_in_doubt(note, "answer-lost")["id"]
        server = ("--server", self.installation.nodes[0].url)
        self.end_doubt(id)
        self.wait_for(id, "AUTORIZADO")
        for name in (str(id), note.chave):
            shown = self.installation.run("fiscal", "show", name, *server)
            for word in ("nfce", "AUTORIZADO", note.chave, "NFeConsultaProtocolo4"):
                self.assertIn(word, shown)
        told = self.installation.run("fiscal", "reconcile", str(id), *server)
        self.assertIn("AUTORIZADO", told)
        refused = self.new_note("nfe")
        self.simulator.fault("emitir", "refuse", 1, refused.documento)
        self.assertEqual(self.notes.post(refused).status, 422)
        self.installation.run("fiscal", "numbers", *server)
        self.assertIn("539", self.installation.run("fiscal", "codes", "--code", "539"))
        for code in ("217", "563", "656", "1106", "1301"):
            self.assertIn(code, self.installation.run("fiscal", "codes"))


if __name__ == "__main__":
    support.run_tests()
