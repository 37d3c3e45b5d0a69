#!/usr/bin/env python3
"""São Paulo: every fault of the city at every call, and kill -9 at every point that an RPS passes.

The city does not refuse an RPS that it gets twice: it cancels the note and issues another. So no RPS may be sent again
unless the city was asked in between, and no ledger may show a note that the city itself has cancelled for that reason.
"""

import base64
import hashlib
import itertools
import subprocess

import support
from authority_matrix import ATTEMPTS, QUESTIONS, FaultBench, KillBench, Scenario, once_and_often
from fiscal import DOCUMENTS, ISSUER
from sefaz import PATIENT, FiscalInstallation, Notes, Simulator, run_xmlsec, sign, signature_template, unpacked, verify
from support import need

NAMESPACE = "http://www.prefeitura.sp.gov.br/nfe"
FAULTS = ("drop-request", "reset", "slow-before", "error-500", "error-503", "bad-gateway", "maintenance", "answer-lost",
          "slow", "unreadable", "truncated", "odd-shapes")
FAULTS_OF_CHANGES = FAULTS + ("refuse", "error-after", "duplicate")
FAULTS_OF_QUESTIONS = FAULTS + ("forbidden", "lost-route")
SCENARIOS = (
    Scenario("emission"),
    Scenario("emission", [("emitir", "answer-lost", 1)]),
    Scenario("emission", [("emitir", "drop-request", 1)]),
    Scenario("cancellation"),
    Scenario("cancellation", [("cancelar", "answer-lost", 1)]),
)


class Rps:
    """One RPS in its signed message. The same arguments make the same bytes."""

    tipo = "nfse-sp"
    range_id = in_series = ""  # the city voids nothing
    refusals = {"refuse": "1206", "cancelar": "1306"}

    def __init__(self, simulator, numero, issuer=ISSUER, valor=20500, **odd):
        """`odd`: what is not as it must be: `text`, which the RPS's own signature covers, `namespace`."""
        self.simulator, self.numero, self.issuer, self.valor, self.odd = simulator, numero, issuer, valor, odd
        self.im = "31000000" if issuer == ISSUER else "32000000"
        self._xml = None

    def but(self, **changes):
        return Rps(self.simulator, self.numero, **{"issuer": self.issuer, "valor": self.valor, **self.odd, **changes})

    def corrected(self):
        return self.but(valor=self.valor + 100)

    @property
    def documento(self):
        return f"RPS{self.im}-OL03-{self.numero}"

    @property
    def id_autoridade(self):
        return f"{self.im:0>12}_OL03_{self.numero:012}"

    @staticmethod
    def is_chave(ours, theirs):
        """Ours has the code of verification too."""
        im, numero, _ = ours.split("_")
        return theirs == f"SP{int(im)}-{int(numero)}"

    @property
    def pem(self):
        is_first = self.issuer == self.simulator.issuers[0]
        return self.simulator.path("client.pem" if is_first else f"client-{self.issuer}.pem")

    @property
    def unsigned(self):
        text = self.odd.get("text", f"{self.im}OL03 {self.numero:012}20261103TNN{self.valor * 100:015}{0:015}02658"
                                    f"1{'13167474254':0>14}")
        signed = subprocess.run([need("openssl"), "dgst", "-sha1", "-sign", self.pem], input=text.encode(), check=True,
                                stdout=subprocess.PIPE).stdout
        return ('<?xml version="1.0" encoding="UTF-8"?>'
                f'<PedidoEnvioRPS xmlns="{self.odd.get("namespace", NAMESPACE)}"><Cabecalho xmlns="" Versao="1">'
                f"<CPFCNPJRemetente><CNPJ>{self.issuer}</CNPJ></CPFCNPJRemetente></Cabecalho>"
                f'<RPS xmlns=""><Assinatura>{base64.b64encode(signed).decode()}</Assinatura><ChaveRPS>'
                f"<InscricaoPrestador>{self.im}</InscricaoPrestador><SerieRPS>OL03</SerieRPS>"
                f"<NumeroRPS>{self.numero}</NumeroRPS></ChaveRPS><TipoRPS>RPS-M</TipoRPS>"
                "<DataEmissao>2026-11-03</DataEmissao><StatusRPS>N</StatusRPS><TributacaoRPS>T</TributacaoRPS>"
                f"<ValorServicos>{self.valor}</ValorServicos><ValorDeducoes>0</ValorDeducoes>"
                "<CodigoServico>2658</CodigoServico><AliquotaServicos>0.05</AliquotaServicos><ISSRetido>false</ISSRetido>"
                "<CPFCNPJTomador><CPF>13167474254</CPF></CPFCNPJTomador>"
                "<Discriminacao>Consultoria &amp; ação</Discriminacao></RPS></PedidoEnvioRPS>")

    @property
    def xml(self):
        if self._xml is None:
            template = signature_template("")
            self._xml = sign(self.unsigned.replace("</PedidoEnvioRPS>", f"{template}</PedidoEnvioRPS>"), self.pem, "")
        return self._xml

    @property
    def body(self):
        return {"tipo": self.tipo, "ambiente": "homologacao", "xml": self.xml}

    @property
    def sha256(self):
        return hashlib.sha256(self.xml.encode()).hexdigest()

    def __repr__(self):
        return f"RPS {self.numero} of {self.issuer}"


def check_city(ledger):
    """No RPS was sent twice in ignorance, and the city never had to cancel one of two."""
    ledger.check()
    for line in ledger.lines:
        assert "substituta" not in line, f"the city cancelled a note, for its RPS came again: {line}"
    for name, account in ledger.accounts.items():
        calls = [line["call"] for line in account.requests if line["call"] in ("emitir", "consultar")]
        assert ("emitir", "emitir") not in zip(calls, calls[1:]), f"sent again without a question: {name} {account}"


class City:
    """How RPS are made, and how patient the program is: a copy that was slow arrives two seconds after it was sent. Its
    absence is believed eight seconds after that at the earliest, by when it is there although the city stood still for a while."""

    TIPOS = ("nfse-sp",)

    @staticmethod
    def new_simulator():
        return Simulator(slow="2100ms")  # a little longer than the program waits

    @staticmethod
    def new_installation(simulator, **more):
        return FiscalInstallation(simulator, **{"tentativas": ATTEMPTS, "assentamento": "1500ms", **more})

    def note(self, tipo, issuer):
        return Rps(self.simulator, next(self.numbers), issuer)

    def new_note(self):
        return Rps(self.simulator, next(self.numbers))


class FaultTest(City, FaultBench):
    @classmethod
    def tearDownClass(cls):
        check_city(cls.simulator.ledger)

    def test_emission(self):
        self.run_all(self.run_emission, once_and_often("emitir", FAULTS_OF_CHANGES))

    def test_question_after_a_doubt(self):
        self.run_all(self.run_emission, [
            [("emitir", first, 1), ("consultar", fault, QUESTIONS)]
            for first in ("answer-lost", "drop-request") for fault in FAULTS_OF_QUESTIONS])

    def test_cancellation(self):
        self.run_all(self.run_cancellation, once_and_often("cancelar", FAULTS_OF_CHANGES))

    def test_question_after_a_cancellation(self):
        self.run_all(self.run_cancellation, [
            [("cancelar", first, 1), ("consultar", fault, QUESTIONS)]
            for first in ("answer-lost", "drop-request") for fault in FAULTS_OF_QUESTIONS])


class KillTest(City, KillBench):
    def test_every_point(self):
        self.kill_everywhere(SCENARIOS)
        check_city(self.simulator.ledger)


class JudgeTest(City, support.TestCase):
    """A sender that never asked is found out: here a second installation, which knows nothing of the first."""

    def test_blind_sender(self):
        with Simulator() as simulator:
            rps, answers = Rps(simulator, 1), []
            for _ in range(2):
                with self.new_installation(simulator, **PATIENT) as installation:
                    answers.append(Notes(installation.node("serve").start()).post(rps))
            account = simulator.ledger.of(rps)
            self.assertEqual((len(account.authorised), len(account.events)), (2, 1), account)
            with self.assertRaises(AssertionError):
                check_city(simulator.ledger)
            # Nobody can undo it, but somebody has to know.
            self.assertEqual([answer.status for answer in answers], [201, 201], answers)
            codes = [each["codigo"] for each in answers[1].json["documento"]["mensagens"]]
            self.assertIn("217", codes, answers[1])


class EdgesTest(City, support.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.simulator = cls.enterClassContext(cls.new_simulator())
        cls.installation = cls.enterClassContext(cls.new_installation(cls.simulator, **PATIENT))
        cls.notes = Notes(cls.installation.node("serve").start())
        cls.numbers = itertools.count(1)

    @classmethod
    def tearDownClass(cls):
        check_city(cls.simulator.ledger)

    def test_many_clients(self):
        rps = self.new_note()
        self.simulator.fault("emitir", "slow", 1, rps.documento)
        answers = support.in_threads(8, lambda each: self.notes.post(rps))
        self.assertLessEqual({answer.status for answer in answers}, {200, 201, 202, 409}, answers)
        account = self.simulator.ledger.of(rps)
        self.assertEqual((account.count("emitir"), len(account.authorised)), (1, 1), account)

    def test_cancelled_elsewhere(self):
        """1301: it is cancelled already. And whoever cancels twice is told so without a call."""
        rps = self.new_note()
        answer = self.notes.post(rps)
        self.assertEqual(answer.status, 201, answer)
        self.simulator.cancel_behind(self.simulator.ledger.of(rps).chave)
        id = answer.json["documento"]["id"]
        done = self.notes.cancel(id)
        self.assertEqual((done.status, done.json["documento"]["estado"]), (200, "CANCELADO"), done)
        calls = self.simulator.ledger.of(rps).count("cancelar")
        again = self.notes.cancel(id)
        self.assertEqual((again.status, again.json["origem"]), (200, "cache"), again)
        self.assertEqual(self.simulator.ledger.of(rps).count("cancelar"), calls)
        posted = self.notes.post(rps)
        self.assertEqual((posted.status, posted.problem), (409, "estado-nao-permite"), posted)

    def test_no_voiding(self):
        answer = self.notes.ask("POST", f"{DOCUMENTS}/inutilizacoes", {"tipo": "nfse-sp"})
        self.assertEqual((answer.status, answer.problem), (422, "inutilizacao-nao-oferecida"), answer)

    def test_signatures(self):
        rps = self.new_note()
        id = self.notes.post(rps).json["documento"]["id"]
        self.assertEqual(self.notes.cancel(id).status, 200)
        account = self.simulator.ledger.of(rps)
        self.assertEqual(account.authorised[0]["sha256"], rps.sha256)
        pedido, ca = unpacked(account.events[0]["pedido"]), self.simulator.path("ca.pem")
        verify(pedido, ca, "")
        spoilt = pedido.replace("<NumeroNFe>", "<NumeroNFe>1")
        self.assertNotEqual(spoilt, pedido)
        self.assertNotEqual(run_xmlsec("--verify", "--trusted-pem", ca, text=spoilt, element="")[0], 0)

    def test_harm(self):
        rps = self.new_note()
        good = rps.xml
        prolog, rest = good.split("?>", 1)
        bomb = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "lol"}">' for n in range(10))
        signature = good[good.index("<Signature"):good.index("</PedidoEnvioRPS>")]
        one = good[good.index("<RPS "):good.index("</RPS>") + 6]
        cases = {
            "a bomb": f"{prolog}?><!DOCTYPE PedidoEnvioRPS [{bomb}]>{rest.replace('Consultoria', '&a9;')}",
            "a file": f'{prolog}?><!DOCTYPE PedidoEnvioRPS [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
                      f'{rest.replace("Consultoria", "&x;")}',
            "a DTD of elsewhere": f'{prolog}?><!DOCTYPE PedidoEnvioRPS SYSTEM "{self.simulator.url}/evil.dtd">{rest}',
            "no signature": good.replace(signature, ""),
            "changed afterwards": good.replace("<ValorServicos>20500", "<ValorServicos>10500"),
            "two RPS": good.replace(one, one + one),
            "wrapped": f'{prolog}?><PedidoEnvioRPS xmlns="{NAMESPACE}">{one.replace("20500", "1")}{rest.strip()}'
                       "</PedidoEnvioRPS>",
            "wrapped in the signature": good.replace(one, one.replace("20500", "1")).replace(
                "</Signature>", f"<Object>{one}</Object></Signature>"),
            "a text of another RPS": rps.but(text="31000000OL03 " + "0" * 73).xml,
            "another namespace": rps.but(namespace="http://www.portalfiscal.inf.br/nfe").xml,
            "deep": f'{prolog}?><PedidoEnvioRPS xmlns="{NAMESPACE}">{"<a>" * 100000}{"</a>" * 100000}</PedidoEnvioRPS>',
            "cut": good[:len(good) // 2],
            "no XML": "{}",
            "too large": good.replace("Consultoria", "C" * 600_000),
        }
        before = [self.installation.count(table) for table in ("documentos_fiscais", "documentos_xml")]
        for case, xml in cases.items():
            with self.subTest(case):
                answer = self.notes.ask("POST", DOCUMENTS, {**rps.body, "xml": xml})
                self.assertEqual((answer.status, answer.problem), (422, "validation"), answer)
                self.assertIn("xml", str(answer.json["errors"]), answer)
                self.assertNotIn("root:", answer.body.decode())
        after = [self.installation.count(table) for table in ("documentos_fiscais", "documentos_xml")]
        self.assertEqual(after, before, "something was kept")
        missing = {name: value for name, value in rps.body.items() if name != "ambiente"}
        answer = self.notes.ask("POST", DOCUMENTS, missing)
        self.assertEqual((answer.status, answer.problem), (422, "validation"), answer)
        self.assertEqual(self.notes.post(rps).status, 201)


if __name__ == "__main__":
    support.run_tests()
