"""NF-e and NFC-e from outside: notes that are made and signed here, and what the ledger of the simulator says of them.

Notes are signed by the xmlsec1 command, never by the program under test: the two have to agree on what a signature is,
what an access key is made of, and which two notes are one to the authority.
"""

import base64
import collections
import gzip
import hashlib
import json
import subprocess
import tempfile
import threading

import fiscal
from fiscal import DOCUMENTS, ISSUER, Documents
from support import need, run_child

NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
DSIG = "http://www.w3.org/2000/09/xmldsig#"
UF = "35"
VOIDINGS = f"{DOCUMENTS}/inutilizacoes"
JUSTIFICATIVA = "Falha do sistema de vendas"
CANCELLATION, SUBSTITUTION = "110111", "110112"
SP_CANCELLATION = "cancelamento"
MODELS = {"nfe": "55", "nfce": "65"}
OPEN = ("TRANSMITIDO", "INDETERMINADO", "CANCELAMENTO_PENDENTE", "CANCELAMENTO_EM_ANALISE", "INUTILIZACAO_PENDENTE")
PATIENT = {**fiscal.PATIENT, "timeout_inutilizacao": "30s"}
# SEFAZ blocks for as long as it was not left alone; a block of ours is as long.
THROTTLE = ("--throttle", "1s")


def check_digit(text):
    """Modulo 11, weights 2 to 9 from the right; letters count as ASCII does, from 0 on."""
    total = sum((ord(each) - 48) * (2 + place % 8) for place, each in enumerate(reversed(text)))
    rest = total % 11
    return "0" if rest < 2 else str(11 - rest)


def signature_template(id):
    return (f'<Signature xmlns="{DSIG}"><SignedInfo>'
            '<CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"/>'
            f'<SignatureMethod Algorithm="{DSIG}rsa-sha1"/><Reference URI="{"#" + id if id else ""}"><Transforms>'
            f'<Transform Algorithm="{DSIG}enveloped-signature"/>'
            '<Transform Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"/></Transforms>'
            f'<DigestMethod Algorithm="{DSIG}sha1"/><DigestValue></DigestValue></Reference></SignedInfo>'
            "<SignatureValue></SignatureValue><KeyInfo><X509Data><X509Certificate></X509Certificate></X509Data>"
            "</KeyInfo></Signature>")


def run_xmlsec(*arguments, text, element):
    """xmlsec1 with the text in a file: (code, what it printed)."""
    with tempfile.NamedTemporaryFile("w", suffix=".xml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        ran = run_child([need("xmlsec1"), *arguments, *(("--id-attr:Id", element) if element else ()), file.name],
                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ran.returncode, ran.stdout.decode()


def sign(text, pem, element):
    """Fills in a signature_template(). `element`: the one that has the Id, with its namespace; "" for none."""
    code, signed = run_xmlsec("--sign", "--privkey-pem", f"{pem},{pem}", text=text, element=element)
    assert code == 0, signed
    return signed


def verify(text, ca, element):
    """Complains unless xmlsec1 says that whoever the CA knows signed it."""
    code, said = run_xmlsec("--verify", "--trusted-pem", ca, text=text, element=element)
    assert code == 0, f"{said}\n{text}"


class Note:
    """One NF-e or NFC-e. The same arguments make the same bytes."""

    def __init__(self, simulator, tipo, numero, serie=1, issuer=ISSUER, tp_emis=1, c_nf=None, nat_op="venda", **odd):
        """`odd`: what is not as it must be: `id`, `namespace`, `beside`, `is_signed`, `ambiente`."""
        self.simulator, self.tipo, self.numero, self.serie, self.issuer = simulator, tipo, numero, serie, issuer
        self.tp_emis, self.nat_op, self.odd = tp_emis, nat_op, odd
        self.c_nf = c_nf or f"{numero * 7919 + 31 * serie + 11:08}"
        key = f"{UF}2611{issuer.rjust(14, '0')}{MODELS[tipo]}{serie:03}{numero:09}{tp_emis}{self.c_nf}"
        self.chave = key + check_digit(key)
        self._xml = None

    def but(self, **changes):
        """The same number, and something else about it."""
        given = {"serie": self.serie, "issuer": self.issuer, "tp_emis": self.tp_emis, "c_nf": self.c_nf,
                 "nat_op": self.nat_op, **self.odd}
        return Note(self.simulator, self.tipo, self.numero, **{**given, **changes})

    @property
    def documento(self):
        """What the authority calls it, whatever its access key."""
        return f"NFe{self.chave[:2]}{self.chave[6:35 if self.tipo == 'nfce' else 34]}"

    @property
    def id_autoridade(self):
        """What the program calls it."""
        return self.chave

    @property
    def refusals(self):
        """The codes of the simulator's refusals."""
        return {"refuse": "781", "too-old": "228" if self.tipo == "nfe" else "704", "cancelar": "501"}

    def corrected(self):
        return self.but(nat_op="venda corrigida")

    @staticmethod
    def is_chave(ours, theirs):
        return ours == theirs

    @property
    def in_series(self):
        return f"{self.chave[:2]}{self.chave[6:34]}"

    @property
    def range_id(self):
        """Of a voiding of this number."""
        return f"ID{UF}26{self.chave[6:25]}{self.numero:09}{self.numero:09}"

    @property
    def unsigned(self):
        kind = "CPF" if len(self.issuer) == 11 else "CNPJ"
        id = self.odd.get("id", f"NFe{self.chave}")
        return (f'<?xml version="1.0" encoding="UTF-8"?>\n<NFe xmlns="{self.odd.get("namespace", NAMESPACE)}">'
                f'<infNFe Id="{id}" versao="4.00"><ide><cUF>{UF}</cUF><cNF>{self.c_nf}</cNF>'
                f"<natOp>{self.nat_op} &amp; ação</natOp><mod>{MODELS[self.tipo]}</mod><serie>{self.serie}</serie>"
                f"<nNF>{self.numero}</nNF><dhEmi>2026-11-03T12:17:25-03:00</dhEmi><tpEmis>{self.tp_emis}</tpEmis>"
                f"<cDV>{self.chave[-1]}</cDV><tpAmb>{self.odd.get('ambiente', 2)}</tpAmb></ide>"
                f"<emit><{kind}>{self.issuer}</{kind}><xNome>LOJA LTDA</xNome></emit></infNFe>"
                f"{self.odd.get('beside', '')}</NFe>")

    @property
    def pem(self):
        is_first = self.issuer == self.simulator.issuers[0]
        return self.simulator.path("client.pem" if is_first else f"client-{self.issuer}.pem")

    @property
    def xml(self):
        if self._xml is None:
            id = self.odd.get("id", f"NFe{self.chave}")
            text = self.unsigned
            if self.odd.get("is_signed", True):
                text = sign(text.replace("</NFe>", signature_template(id) + "</NFe>"), self.pem,
                            f"{self.odd.get('namespace', NAMESPACE)}:infNFe")
            self._xml = text
        return self._xml

    @property
    def body(self):
        return {"tipo": self.tipo, "xml": self.xml}

    @property
    def sha256(self):
        """Of what is put into the message to the authority, as the ledger has it."""
        text = self.xml
        return hashlib.sha256(text[text.index("<NFe"):text.rindex("</NFe>") + 6].encode()).hexdigest()

    def __repr__(self):
        return f"{self.tipo} {self.serie}/{self.numero} tpEmis {self.tp_emis} of {self.issuer}"


class Account:
    """What the ledger says of one natural key."""

    def __init__(self):
        self.authorised = []   # lines, in the order of the ledger
        self.events = []
        self.requests = []     # of its emission, cancellation and questions
        self.voidings = []     # requests to void its number
        self.voided = []
        self.emitted_after_end = 0

    def count(self, call):
        return sum(line["call"] == call for line in self.requests)

    @property
    def came_late(self):
        return fiscal.came_late(self.events, [line for line in self.requests if line["call"] == "consultar"])

    @property
    def chave(self):
        return self.authorised[0]["chave"] if self.authorised else None

    @property
    def cancellations(self):
        return [line["tipo"] for line in self.events if line["tipo"] in (CANCELLATION, SUBSTITUTION, SP_CANCELLATION)]

    @property
    def is_cancelled(self):
        return bool(self.cancellations)

    @property
    def estado(self):
        """What our table has to say in the end; None: the authority never heard of it, or refused it."""
        if self.voided:
            return "INUTILIZADO"
        if not self.authorised:
            return None
        if SUBSTITUTION in self.cancellations:
            return "SUBSTITUIDO"
        return "CANCELADO" if self.is_cancelled else "AUTORIZADO"

    def __repr__(self):
        calls = [line["call"] + ("/" + line["fault"] if "fault" in line else "")
                 for line in sorted(self.requests + self.voidings, key=lambda line: line["number"])]
        return (f"{self.estado} {len(self.authorised)} authorised, {self.cancellations}, {len(self.voided)} voided, "
                f"{calls}")


class Ledger:
    """The lines of a ledger file, by natural key; it grows with the file. Thread-safe."""

    def __init__(self, path):
        self.accounts = collections.defaultdict(Account)
        self.lines = []
        self._path, self._offset, self._lock = path, 0, threading.Lock()
        self._voided = collections.defaultdict(list)    # by state, issuer, model, series and number
        self._voidings = collections.defaultdict(list)
        self._documentos = {}

    def refresh(self):
        """A last line without an end was never answered."""
        with self._lock, open(self._path, "rb") as file:
            file.seek(self._offset)
            text = file.read()
            text = text[:text.rfind(b"\n") + 1]
            self._offset += len(text)
            for line in text.splitlines():
                self._add(json.loads(line))
        return self

    def _add(self, line):
        line["place"] = len(self.lines)
        self.lines.append(line)
        if line["event"] == "request" and line["call"] == "inutilizar":
            self._voidings[self._in_series(line["documento"])].append(line)
        elif line["event"] == "request":
            account = self.accounts[line.get("documento", "")]
            account.requests.append(line)
            account.emitted_after_end += line["call"] == "emitir" and account.is_cancelled
        elif line["event"] == "authorised":
            self._documentos[line["chave"]] = line["documento"]
            self.accounts[line["documento"]].authorised.append(line)
        elif line["event"] == "registered":
            self.accounts[self._documentos[line["chave"]]].events.append(line)
        elif line["event"] == "voided":
            self._voided[self._in_series(line["id"])].append(line)

    @staticmethod
    def _in_series(range_id):
        """Ranges of one number, as the program makes them."""
        assert range_id[25:34] == range_id[34:43], range_id
        return f"{range_id[2:4]}{range_id[6:34]}"

    def of(self, note):
        with self._lock:
            account = self.accounts.get(note.documento) or Account()
            account.voided = self._voided.get(note.in_series, [])
            account.voidings = self._voidings.get(note.in_series, [])
            return account

    def check(self):
        """What may never be, whatever happened."""
        twice = {name: account for name, account in self.accounts.items() if len(account.authorised) > 1}
        assert not twice, f"authorised twice: {twice}"
        again = {name: account for name, account in self.accounts.items() if account.emitted_after_end}
        assert not again, f"sent after it was cancelled: {again}"
        used = {name: account for name, account in self.accounts.items()
                if account.authorised and self._voided.get(name[3:33])}
        assert not used, f"authorised and voided: {used}"


def unpacked(packed):
    """XML as the ledger keeps it."""
    return gzip.decompress(base64.b64decode(packed)).decode()


class Simulator(fiscal.Simulator):
    def __init__(self, *arguments, **more):
        super().__init__(*THROTTLE, *arguments, **more)
        self._ledger = Ledger(self.path("ledger.jsonl"))

    @property
    def ledger(self):
        return self._ledger.refresh()


class FiscalInstallation(fiscal.FiscalInstallation):
    """Voidings are as impatient as the rest, and many documents are driven at a time."""

    def __init__(self, simulator, postgres=None, **more):
        super().__init__(simulator, postgres, **{"timeout_inutilizacao": "2s", "threads": 16, **more})


class Notes(Documents):
    """What a client asks of a server."""

    def post(self, note, key=None, **more):
        return self.try_ask("POST", DOCUMENTS, {**note.body, **more}, key=key)

    def cancel(self, id, justificativa=JUSTIFICATIVA):
        return super().cancel(id, justificativa)

    def void(self, note, last=None, **other):
        body = {"tipo": note.tipo, "ambiente": "homologacao", "emitente": note.issuer, "serie": str(note.serie),
                "numero_inicial": note.numero, "numero_final": last or note.numero, "justificativa": JUSTIFICATIVA}
        return self.try_ask("POST", VOIDINGS, {**body, **other})

    def row(self, installation, note):
        """Read behind the program's back: None, or (id, estado, chave, xml_sha256). A number has one document."""
        rows = installation.rows(
            "SELECT id, estado, coalesce(chave_acesso, ''), coalesce(xml_sha256, '') FROM documentos_fiscais "
            f"WHERE id_autoridade = '{note.id_autoridade}'")
        assert len(rows) <= 1, rows
        return rows[0] if rows else None
