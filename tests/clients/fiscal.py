"""Fiscal documents from outside: the authority that `umavez authority-simulator` plays, its ledger, documents made
here, and settings that let tests be short.

The ledger is the judge: a file that the simulator writes before it answers. What the program under test says of itself
is compared with it, never the other way round. DPS are made here and not by the program, so that the two have to agree
on what a number is called.
"""

import collections
import datetime
import hashlib
import http.client
import itertools
import json
import os
import re
import signal
import subprocess
import tempfile
import urllib.parse

from installation import Installation
from postgres import die_with_parent
from support import SANITIZED, WAIT_SECONDS, ask, wait_ended, wait_until


def cnpj(body):
    """With its check digits: two of them, by modulo 11; a letter counts as its ASCII code less 48."""
    for _ in range(2):
        weights = itertools.cycle(range(2, 10))
        rest = sum((ord(each) - 48) * weight for each, weight in zip(reversed(body), weights)) % 11
        body += str(0 if rest < 2 else 11 - rest)
    return body


# With letters too, as CNPJ have them since July 2026. A block holds for one issuer: tests of blocks have their own.
ISSUERS = tuple(cnpj(body) for body in ("005747530001", "12ABC34501DE", "112223330001", "R55231B30007", "334445550001",
                                        "ZZ667780XY01"))
ISSUER, OTHER_ISSUER = ISSUERS[:2]
MUNICIPIO = "2111300"
CANCELLATION = "101101"
JUSTIFICATIVA = "Erro na emissão da nota"
DOCUMENTS = "/api/v1/documentos-fiscais"
SLOW = "2500ms"  # longer than a call that changes something may take
# Whoever died is waited for, and so is what may still be on its way. Questions have the time a busy machine needs, and
# a sanitized program is one.
SETTINGS = {
    "timeout_emissao": "2s",
    "timeout_consulta": "30s",
    "timeout_cancelamento": "2s",
    "backoff_primeiro": "10ms",
    "backoff_maximo": "100ms",
    "consultas_por_minuto": 0,
    "bloqueio": "1s",
    "assentamento": "200ms",
    "lease": "2s" if SANITIZED else "1s",
}
# Where nothing is slow but the machine, and nobody dies: whoever waits long enough gets the answer that is looked at.
PATIENT = {"timeout_emissao": "30s", "timeout_consulta": "30s", "timeout_cancelamento": "30s", "lease": "30s"}
FAULTS_OF_ALL = ("drop-request", "reset", "slow-before", "error-500", "error-503", "bad-gateway", "throttle",
                 "answer-lost", "slow", "unreadable", "truncated", "odd-shapes")
FAULTS_OF_CHANGES = FAULTS_OF_ALL + ("maintenance", "refuse", "error-after", "duplicate")
FAULTS_OF_QUESTIONS = FAULTS_OF_ALL + ("forbidden", "lost-route")


def id_dps(numero, serie="3", issuer=ISSUER):
    """DPS, municipality, 1 for a CPF and 2 for a CNPJ, who, series and number."""
    return f"DPS{MUNICIPIO}{1 if len(issuer) == 11 else 2}{issuer.rjust(14, '0')}{serie.rjust(5, '0')}{numero:015}"


def dps(numero, serie="3", issuer=ISSUER, id=None, valor="51.60", ambiente="2"):
    """A document as its issuer would send it, without a signature."""
    kind = "CPF" if len(issuer) == 11 else "CNPJ"
    return (f'<?xml version="1.0" encoding="UTF-8"?><DPS versao="1.01" xmlns="http://www.sped.fazenda.gov.br/nfse">'
            f'<infDPS Id="{id or id_dps(numero, serie, issuer)}"><tpAmb>{ambiente}</tpAmb>'
            f"<dhEmi>2026-11-03T12:17:25-03:00</dhEmi><verAplic>teste</verAplic><serie>{serie}</serie>"
            f"<nDPS>{numero}</nDPS><dCompet>2026-11-03</dCompet><tpEmit>1</tpEmit><cLocEmi>{MUNICIPIO}</cLocEmi>"
            f"<prest><{kind}>{issuer}</{kind}></prest><serv><cServ><xDescServ>Conserto &amp; manutenção</xDescServ>"
            f"</cServ></serv><valores><vServPrest><vServ>{valor}</vServ></vServPrest></valores></infDPS></DPS>")


def body_of(numero, serie="3", issuer=ISSUER, xml=None, **of_dps):
    return {"tipo": "nfse-nacional", "ambiente": "homologacao", "emitente": issuer, "serie": serie, "numero": numero,
            "xml": xml if xml is not None else dps(numero, serie, issuer, **of_dps)}


def seconds_at(instant):
    return datetime.datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp()


def seconds_of(line):
    """When a line of a ledger was written."""
    return seconds_at(line["at"])


def seconds_long(duration):
    """Of a setting: "200ms", "6s"."""
    number, unit = re.fullmatch(r"(\d+)(ms|s|m)", duration).groups()
    return int(number) * {"ms": 0.001, "s": 1, "m": 60}[unit]


def was_asked_late(attempts, settle):
    """Whether the last question about a cancellation came no sooner than `settle` after the end of the last request,
    as the program noted both. A question is noted when it is over, a request when it begins; that of a process which
    died has no end."""
    asked = [each for each in attempts if each["operacao"] == "consultar-cancelamento"]
    sent = [each for each in attempts if each["operacao"] == "cancelar" and asked and each["id"] < asked[-1]["id"]]
    if not sent:
        return False
    began = seconds_at(asked[-1]["em"]) - (asked[-1]["duracao_ms"] or 0) / 1000
    ended = seconds_at(sent[-1]["em"]) + (sent[-1]["duracao_ms"] or 0) / 1000
    return began - ended >= settle - 0.005  # both are whole milliseconds


def came_late(changes, questions):
    return bool(changes and questions) and changes[-1]["place"] > questions[-1]["place"]


class Account:
    """What the ledger says of one document."""

    def __init__(self):
        self.authorised = []   # lines, in the order of the ledger
        self.events = []       # registered for any of its notes
        self.requests = []
        self.emitted_after_cancel = 0

    def count(self, call):
        return sum(line["call"] == call for line in self.requests)

    @property
    def came_late(self):
        """What was registered last came after the last question: a copy was longer under way than absence is doubted,
        and whoever asked could not know of it."""
        return came_late(self.events, [line for line in self.requests if line["call"] == "consultar-evento"])

    @property
    def chave(self):
        return self.authorised[0]["chave"] if self.authorised else None

    @property
    def is_cancelled(self):
        return any(line["tipo"] == CANCELLATION for line in self.events)

    @property
    def estado(self):
        """What our table has to say in the end; None: the authority never heard of it, or refused it."""
        if not self.authorised:
            return None
        return "CANCELADO" if self.is_cancelled else "AUTORIZADO"

    def __repr__(self):
        calls = [line["call"] + ("/" + line["fault"] if "fault" in line else "") for line in self.requests]
        return f"{self.estado} {len(self.authorised)} authorised, {[e['tipo'] for e in self.events]} {calls}"


class Ledger:
    """The lines of a ledger file, by document. A last line without an end was never answered."""

    def __init__(self, path):
        self.accounts = collections.defaultdict(Account)
        self.lines = []
        ids = {}
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for line in text[:text.rfind("\n") + 1].splitlines():
            line = {**json.loads(line), "place": len(self.lines)}
            self.lines.append(line)
            if line["event"] == "request":
                account = self.accounts[line.get("id_dps", "")]
                account.requests.append(line)
                account.emitted_after_cancel += line["call"] == "emitir" and account.is_cancelled
            elif line["event"] == "authorised":
                ids[line["chave"]] = line["id_dps"]
                self.accounts[line["id_dps"]].authorised.append(line)
            else:
                self.accounts[ids[line["chave"]]].events.append(line)

    def of(self, id):
        return self.accounts.get(id) or Account()

    @property
    def authorised(self):
        return {id: account for id, account in self.accounts.items() if account.authorised}

    @property
    def requests(self):
        return [line for line in self.lines if line["event"] == "request"]


class Simulator:
    """`umavez authority-simulator` with a folder of its own. Keeps its ports over restarts."""

    CERTIFICATES = collections.defaultdict(dict)  # files, by the first issuer: keys take seconds to make

    def __init__(self, *arguments, issuers=(ISSUER, OTHER_ISSUER), slow=SLOW):
        """`arguments`: its faults by chance."""
        self._folder = tempfile.TemporaryDirectory(prefix="umavez-authority-")
        self.folder = self._folder.name
        self.issuers, self.slow, self.arguments = issuers, slow, arguments
        self.process = None
        self.ports = (0, 0)
        self.settings = ""
        for name, content in self.CERTIFICATES[issuers[0]].items():
            with open(self.path(name), "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(content)

    def __enter__(self):
        self.start()
        for name in os.listdir(self.folder):
            if name.endswith((".pem", ".pfx", ".key")):
                with open(self.path(name), "rb") as file:
                    self.CERTIFICATES[self.issuers[0]][name] = file.read()
        return self

    def __exit__(self, *_):
        try:
            if self.process is not None:
                self.kill()
        finally:
            self._folder.cleanup()

    def start(self, with_faults=True):
        listen, control = self.ports
        self.log = open(os.path.join(self.folder, "stderr"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [os.environ["UMAVEZ_PROGRAM"], "authority-simulator", "--folder", self.folder,
             "--listen", f"127.0.0.1:{listen}", "--control", f"127.0.0.1:{control}", "--slow", self.slow,
             "--issuer", ",".join(self.issuers), *(self.arguments if with_faults else ())],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True,
            preexec_fn=die_with_parent(signal.SIGKILL))
        said = wait_until("the simulator plays", self._said)
        found = re.search(r"on https://[^:]+:(\d+).*control on http://[^:]+:(\d+)", said)
        self.ports = tuple(int(port) for port in found.groups())
        os.set_blocking(self.process.stdout.fileno(), False)
        self.settings = self.process.stdout.read()
        return self

    def _said(self):
        with open(self.log.name, encoding="utf-8") as file:
            text = file.read()
        assert self.process.poll() is None, f"the simulator ended: {text}"
        return text if "\n" in text else None

    def kill(self):
        """kill -9; and shows that nothing else ended it, and that no sanitizer complained."""
        process, self.process = self.process, None
        code = process.poll()
        process.kill()
        wait_ended(process, "the simulator ends")
        process.stdout.close()
        self.log.seek(0)
        text = self.log.read()
        self.log.close()
        assert code is None, f"the simulator ended with {code} before it was killed: {text}"
        assert not re.search(r"Sanitizer|: runtime error: ", text), f"the simulator: {text}"

    def path(self, name):
        return os.path.join(self.folder, name)

    @property
    def ledger(self):
        return Ledger(self.path("ledger.jsonl"))

    @property
    def url(self):
        return f"https://127.0.0.1:{self.ports[0]}/SefinNacional"

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[1], timeout=WAIT_SECONDS)
        try:
            answer = ask(connection, method, path, body)
        finally:
            connection.close()
        assert answer.status == 200, answer
        return answer.json

    def fault(self, call, fault, times=1, id=None):
        """The next calls of this kind, of this document, go wrong in this way."""
        self.ask("POST", "/faults", {"call": call, "fault": fault, "times": times, **({"id_dps": id} if id else {})})

    def forget_faults(self):
        self.ask("DELETE", "/faults")

    def cancel_behind(self, chave):
        self.ask("POST", "/cancel", {"chave": chave})


def toml_of(values):
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


class FiscalInstallation(Installation):
    """`emitentes`: TOML instead of what the simulator printed for its issuers."""

    def __init__(self, simulator, postgres=None, emitentes=None, before="", **more):
        self.simulator = simulator
        given = simulator.settings if emitentes is None else \
            simulator.settings[:simulator.settings.index("[[fiscal.emitente]]")] + emitentes
        values = {**SETTINGS, **more}
        self.settle = seconds_long(values["assentamento"])
        super().__init__(postgres, "", f"{before}[fiscal]\n{toml_of(values)}{given}")


class Documents:
    """What a client asks of a server. Faults are expected: a call whose server dies gives None."""

    def __init__(self, node):
        self.node = node

    def ask(self, method, path, body=None, key=None):
        return self.node.ask(method, path, body, key)

    def try_ask(self, *arguments, **named):
        try:
            return self.ask(*arguments, **named)
        except (OSError, http.client.HTTPException):
            return None

    def post(self, numero, key=None, **of_body):
        return self.try_ask("POST", DOCUMENTS, body_of(numero, **of_body), key=key)

    def get(self, id):
        answer = self.ask("GET", f"{DOCUMENTS}/{id}")
        assert answer.status == 200, answer
        return answer.json

    def cancel(self, id, justificativa=JUSTIFICATIVA):
        return self.try_ask("POST", f"{DOCUMENTS}/{id}/cancelar", {"justificativa": justificativa})

    def reconcile(self, id):
        return self.try_ask("POST", f"{DOCUMENTS}/{id}/conciliar")

    def ask_again_if_late(self, find, account):
        """A person asks where the program could not know of a cancellation, which holds all the same: it waited as
        long as it was told to, and asked then. Whoever asked sooner should not have believed what it heard."""
        row = find()
        if row and row[1] == "AUTORIZADO" and account().is_cancelled and account().came_late \
                and was_asked_late(self.attempts(row[0]), self.node.installation.settle):
            def is_found():
                self.reconcile(row[0])
                return find()[1] != "AUTORIZADO"
            wait_until(f"the cancellation of {row} is found", is_found, pause=0.5)

    def attempts(self, id):
        return self.all(f"{DOCUMENTS}/{id}/tentativas")

    def all(self, path, **query):
        items, cursor = [], None
        while True:
            asked = urllib.parse.urlencode({**query, **({"cursor": cursor} if cursor is not None else {})})
            answer = self.ask("GET", f"{path}?{asked}")
            assert answer.status == 200, answer
            items += answer.json["itens"]
            cursor = answer.json["proximo"]
            if cursor is None:
                return items

    def find(self, installation, id):
        """The row of a DPS, read behind the program's back: None, or (id, estado, chave, xml_sha256)."""
        rows = installation.rows(
            "SELECT id, estado, coalesce(chave_acesso, ''), coalesce(xml_sha256, '') FROM documentos_fiscais "
            f"WHERE id_autoridade = '{id}'")
        assert len(rows) <= 1, rows
        return rows[0] if rows else None

    def post_until(self, numero, wanted=(200, 201), seconds=WAIT_SECONDS, **of_body):
        """The same request until the answer is one that is wanted, as a client that retries would."""
        seen = []

        def arrived():
            answer = self.post(numero, **of_body)
            seen[:] = [answer]
            return answer if answer is not None and answer.status in wanted else None

        return wait_until(f"number {numero} is answered {wanted}", arrived, seconds, lambda: seen)


def sha256_of(text):
    return hashlib.sha256(text.encode()).hexdigest()
