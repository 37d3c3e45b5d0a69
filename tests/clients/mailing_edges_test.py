#!/usr/bin/env python3
"""Mailing at its edges: files as spreadsheets write them, limits, orders at the wrong time, servers that refuse, put
off, break off and are away, the page for leaving, settings that cannot be."""

import contextlib
import email
import email.policy
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import urllib.parse

import mailing
import support
from mailing import MailingInstallation, Mailings, adds_up, csv_of, message, peak_kib
from smtp import Sink
from support import SANITIZED, WAIT_SECONDS, need, run_tests, wait_until

LINES = 40000 if SANITIZED else 200000
MEMORY_KIB = 64 * 1024  # a server may grow by this while a file of any length goes through it


class EdgesTest(support.TestCase):
    def open(self, *arguments, sink=True, before="", **settings):
        self.sink = self.enterContext(Sink()) if sink is True else sink
        self.installation = self.enterContext(MailingInstallation(None, before, **settings))
        smtp = ("--smtp", self.sink.url) if self.sink else ()
        self.server = self.installation.node("serve", *smtp, *arguments).start()
        self.mailings = Mailings(self.server)

    def file(self, name, content):
        path = os.path.join(self.installation.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def run_through(self, filename, content, **fields):
        id = self.mailings.upload(filename, content, **fields)
        done = self.mailings.wait_for(id, "COMPLETED", "FAILED")
        self.assertTrue(adds_up(done), done)
        return id, done

    def statuses(self, id):
        return {entry["email"]: entry["status"] for entry in self.mailings.entries(id)}


class UploadTest(EdgesTest):
    """Nothing is sent: what was uploaded is looked at."""

    def setUp(self):
        self.open(sink=None)

    def curl(self, *arguments):
        ran = support.run_child(
            [need("curl"), "-s", "-w", "\n%{http_code}", *arguments], cwd=self.installation.folder,
            capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        body, _, status = ran.stdout.rpartition("\n")
        return int(status), json.loads(body)

    def test_multipart_by_curl(self):
        self.file("boletim.csv", csv_of(["ana@example.com"]))
        for status, created in ((201, True), (200, False)):
            got = self.curl(f"{self.server.url}/api/v1/mailings", "-F", "file=@boletim.csv;type=text/csv",
                            "-F", "assunto=Olá", "-F", "remetente=Loja <news@loja.example>", "-F", "texto=Oi")
            self.assertEqual((got[0], got[1]["created"], got[1]["filename"]), (status, created, "boletim.csv"), got)
            self.assertIn(got[1]["status"], ("QUEUED", "INGESTING", "PROCESSING"))
        kept = self.mailings.get(got[1]["mailingId"])
        self.assertEqual((kept["assunto"], kept["remetente"], kept["incerteza"]),
                         ("Olá", "Loja <news@loja.example>", "no-maximo-uma"))

    def test_fields_before_and_after_the_file(self):
        for name, order in (("antes.csv", 1), ("depois.csv", -1)):
            self.file(name, csv_of(["ana@example.com"]))
            parts = [("-F", f"file=@{name}"), ("-F", "assunto=a"), ("-F", "remetente=a@b.example"), ("-F", "texto=t")]
            words = [word for part in parts[::order] for word in part]
            status, got = self.curl(f"{self.server.url}/api/v1/mailings", *words)
            self.assertEqual((status, got["filename"]), (201, name), got)
            self.assertEqual(self.mailings.get(got["mailingId"])["assunto"], "a")

    def test_plain_csv_is_a_draft_until_it_has_a_message(self):
        answer = self.mailings.try_upload_csv("rascunho.csv", csv_of(["ana@example.com"]))
        self.assertEqual((answer.status, answer.json["status"]), (201, "DRAFT"), answer)
        id = answer.json["mailingId"]
        early = self.mailings.try_order(id, "iniciar")
        self.assertIn(early.status, (409, 422), early)
        changed = self.mailings.ask("PATCH", f"/mailings/{id}", message(assunto="Enfim"))
        self.assertEqual((changed.status, changed.json["assunto"]), (200, "Enfim"), changed)
        self.assertEqual(self.mailings.order(id, "iniciar")["status"], "QUEUED")
        late = self.mailings.ask("PATCH", f"/mailings/{id}", {"assunto": "tarde"})
        self.assertEqual((late.status, late.problem), (409, "invalid-transition"), late)

    def test_by_curl_with_a_pipe(self):
        self.file("plain.csv", csv_of(["ana@example.com"]))
        status, got = self.curl(f"{self.server.url}/api/v1/mailings?filename=plain.csv", "-H", "Content-Type: text/csv",
                                "-H", "Transfer-Encoding: chunked", "--data-binary", "@plain.csv")
        self.assertEqual((status, got["status"]), (201, "DRAFT"), got)

    def test_the_same_name_with_another_content(self):
        first = self.mailings.try_upload_csv("lista.csv", csv_of(["ana@example.com"]))
        other = self.mailings.try_upload_csv("lista.csv", csv_of(["bia@example.com"]))
        self.assertEqual((other.status, other.json["created"], other.json["contentDiffers"]), (200, False, True), other)
        self.assertEqual(other.json["mailingId"], first.json["mailingId"])
        by_content = self.mailings.try_upload_csv("lista.csv", csv_of(["bia@example.com"]), dedupe="content")
        self.assertEqual((by_content.status, by_content.json["created"]), (201, True), by_content)
        self.assertNotEqual(by_content.json["mailingId"], first.json["mailingId"])
        for content, id in (("bia", by_content), ("ana", first)):
            again = self.mailings.try_upload_csv("lista.csv", csv_of([f"{content}@example.com"]), dedupe="content")
            self.assertEqual((again.status, again.json["mailingId"]), (200, id.json["mailingId"]), again)
            self.assertNotIn("contentDiffers", again.json)
        self.assertEqual(len(self.mailings.list()), 2)

    def test_what_is_refused(self):
        good = csv_of(["ana@example.com"])
        kind = {"Content-Type": "text/csv"}
        for name, answer, status in (
                ("no name", self.mailings.ask("POST", "/mailings", good.encode(), headers=kind), {400, 422}),
                ("a wrong type", self.mailings.ask("POST", "/mailings?filename=a.csv", b"{}",
                                                   headers={"Content-Type": "application/json"}), {415}),
                ("a long name", self.mailings.try_upload_csv("n" * 256, good), {400, 422}),
                ("an empty file", self.mailings.try_upload_csv("vazio.csv", ""), {400, 422}),
                ("half a message", self.mailings.try_upload("meio.csv", good, assunto="só"), {422}),
                ("a sender that is no address", self.mailings.try_upload(
                    "de.csv", good, **message(remetente="loja")), {422}),
                ("a line break in the subject", self.mailings.try_upload(
                    "crlf.csv", good, **message(assunto="a\r\nBcc: x@y.example")), {422}),
                ("another word for uncertain", self.mailings.try_upload(
                    "incerto.csv", good, **message(incerteza="talvez")), {422}),
                ("a dedupe that is none", self.mailings.try_upload_csv("d.csv", good, dedupe="hash"), {400, 422}),
                ("a column that is not there", self.mailings.try_upload(
                    "coluna.csv", good, **message(texto="Olá, {{nome}}")), {422})):
            with self.subTest(name):
                self.assertIn(answer.status, status, answer)
                self.assertTrue(answer.json["title"] and answer.json["type"], answer)
        self.assertEqual(self.mailings.list(), [])
        # And nothing of it is left on the disk.
        left = [name for _, _, names in os.walk(self.storage) for name in names]
        self.assertEqual(left, [])

    @property
    def storage(self):
        return os.path.join(self.installation.folder, "umavez.db.uploads")

    def test_a_name_never_leaves_the_folder(self):
        for name in ("../../fora.csv", "/etc/passwd", "a\\b.csv", "..", "ção é.csv", "com espaço.csv"):
            with self.subTest(name):
                answer = self.mailings.try_upload_csv(name, csv_of(["ana@example.com"]))
                self.assertIn(answer.status, (201, 400, 422), answer)
        inside = {os.path.join(folder, name) for folder, _, names in os.walk(self.storage) for name in names}
        self.assertTrue(all(re.search(r"/[0-9a-f-]{36}\.csv$", path) for path in inside), inside)
        self.assertFalse(os.path.exists(os.path.join(self.installation.folder, "fora.csv")))

    def test_an_upload_that_breaks_off_leaves_nothing(self):
        connection = socket.create_connection(("127.0.0.1", self.server.port), timeout=WAIT_SECONDS)
        connection.sendall(b"POST /api/v1/mailings?filename=meio.csv HTTP/1.1\r\nHost: a\r\nContent-Type: text/csv\r\n"
                           b"Content-Length: 1000000\r\n\r\n" + b"email\n" + b"a@example.com\n" * 1000)
        connection.close()
        left = lambda: [name for _, _, names in os.walk(self.storage) for name in names]
        wait_until("nothing is left", lambda: self.mailings.list() == [] and left() == [])


class LimitTest(EdgesTest):
    def test_a_file_that_is_gone_is_told(self):
        self.open(sink=None)
        id = self.mailings.try_upload_csv("some.csv", csv_of(["ana@example.com"])).json["mailingId"]
        self.assertEqual(self.mailings.ask("PATCH", f"/mailings/{id}", message()).status, 200)
        folder = os.path.join(self.installation.folder, "umavez.db.uploads")
        os.rename(folder, f"{folder}.longe")
        early = self.mailings.try_order(id, "iniciar")
        self.assertEqual(early.status, 409, early)
        self.assertIn("mailing.storage", early.json["detail"])
        self.assertEqual(self.mailings.ask("PATCH", f"/mailings/{id}", {"assunto": "Outro"}).status, 200)
        if os.path.exists(folder):
            shutil.rmtree(folder)
        nowhere = self.mailings.ask("POST", "/mailings?filename=outra.csv", csv_of(["bia@example.com"]).encode(),
                                    headers={"Content-Type": "text/csv"}, patient=False)
        self.assertEqual(nowhere.status, 503, nowhere)
        os.rename(f"{folder}.longe", folder)
        self.assertEqual(self.mailings.order(id, "iniciar")["status"], "QUEUED")

    def test_sixty_four_mebibytes(self):
        self.open(sink=None)
        before = peak_kib(self.server.process)
        line = b"a" * 1000 + b"\n"
        limit = 64 * 1024 * 1024
        exact = b"email\n" + line * ((limit - 6) // len(line))
        exact += b"b" * (limit - len(exact))
        answer = self.mailings.try_upload_csv("grande.csv", exact)
        self.assertEqual((answer.status, answer.json["status"]), (201, "DRAFT"), answer)
        self.assertEqual(self.mailings.get(answer.json["mailingId"])["contentBytes"], limit)
        with contextlib.suppress(ConnectionError):  # it may close before all was sent
            over = self.mailings.try_upload_csv("demais.csv", exact + b"b")
            self.assertEqual(over.status, 413, over)
        self.assertEqual(len(self.mailings.list()), 1)
        self.assertLess(peak_kib(self.server.process) - before, MEMORY_KIB * (4 if SANITIZED else 1) // 2)

    def test_another_limit(self):
        self.open(sink=None, upload_max="1KiB")
        self.assertEqual(self.mailings.try_upload_csv("a.csv", b"e" * 1024).status, 201)
        self.assertEqual(self.mailings.try_upload_csv("b.csv", b"e" * 1025).status, 413)


class SpreadsheetTest(EdgesTest):
    def setUp(self):
        self.open()

    def test_as_spreadsheets_write_them(self):
        rows = "Nome;E-mail;Cidade\r\nJoão \"Jô\" Conceição;joao@example.com;São Paulo\r\n"
        quoted = rows.replace('João "Jô" Conceição', '"João ""Jô"" Conceição"')
        for name, content in (
                ("excel-latin1.csv", quoted.encode("latin-1")),
                ("excel-utf8-bom.csv", b"\xef\xbb\xbf" + quoted.encode()),
                ("sep.csv", b"sep=;\r\n" + quoted.encode()),
                ("virgula.csv", quoted.replace(";", ",").encode()),
                ("tab.csv", quoted.replace(";", "\t").encode()),
                ("linhas-unix.csv", quoted.replace("\r\n", "\n").encode()),
                ("sem-fim-de-linha.csv", quoted.rstrip().encode())):
            with self.subTest(name):
                id, done = self.run_through(name, content, assunto="Olá, {{nome}}", texto="Em {{Cidade}}, {{email}}\n",
                                            html="<p>{{nome}}</p>")
                self.assertEqual((done["status"], done["counts"]["sent"]), ("COMPLETED", 1), done)
                mail = self.sink.accepted()[-1].parse()
                self.assertEqual(mail["Subject"], 'Olá, João "Jô" Conceição')
                text = mail.get_body(("plain",)).get_content()
                self.assertEqual(text.replace("\r\n", "\n").strip(), "Em São Paulo, joao@example.com")
                self.assertIn("João &quot;Jô&quot; Conceição", mail.get_body(("html",)).get_content())
                self.assertEqual(mail["To"], "joao@example.com")

    def test_a_line_break_inside_quotes(self):
        id, done = self.run_through("quebra.csv", 'email,nota\nana@example.com,"duas\nlinhas"\nx\nbia@example.com,ok\n')
        self.assertEqual(done["counts"]["sent"], 2, done)
        self.assertEqual([line["line"] for line in self.mailings.entries(id, status="INVALID")], [4])

    def test_lines_that_are_no_addresses(self):
        bad = ["sem-arroba", "a@", "@b.example", "dois@@example.com", "espaço no@example.com", "a@b..example"]
        id, done = self.run_through("erros.csv", csv_of(["ana@example.com", *bad, "", "bia@example.com"]))
        self.assertEqual((done["counts"]["entries"], done["counts"]["invalid"]), (2, len(bad)), done)
        listed = self.mailings.entries(id, status="INVALID")
        self.assertEqual([line["line"] for line in listed], list(range(3, 3 + len(bad))))
        self.assertEqual([line["content"] for line in listed], bad)
        self.assertTrue(all(line["reason"] and line["status"] == "INVALID" for line in listed), listed)
        self.assertEqual(set(self.sink.counts()), {"ana@example.com", "bia@example.com"})

    def test_files_without_any_address(self):
        for name, content in (("nada.csv", "nome;cidade\nJoão;São Paulo\n"), ("cabecalho.csv", "email\n"),
                              ("binario.csv", bytes(range(256)) * 50)):
            with self.subTest(name):
                answer = self.mailings.try_upload(name, content, **message())
                if answer.status == 422:
                    continue
                done = self.mailings.wait_for(answer.json["mailingId"], "COMPLETED", "FAILED")
                self.assertEqual(done["counts"]["entries"], 0, done)
        self.assertEqual(self.sink.accepted(), [])

    def test_a_field_cannot_add_a_header(self):
        id, done = self.run_through("injecao.csv", 'email,nome\nana@example.com,"x\r\nBcc: mau@example.com"\n',
                                    assunto="Olá {{nome}}")
        for mail in self.sink.accepted():
            self.assertNotIn("Bcc", mail.parse().keys())
        self.assertLessEqual(set(self.sink.counts()), {"ana@example.com"})


class MessageTest(EdgesTest):
    def test_what_a_recipient_gets(self):
        self.open(public_url="https://loja.example")
        id, done = self.run_through("unico.csv", csv_of(["ana@example.com"]), html="<a href='{{descadastro}}'>sair</a>",
                                    texto="Sair: {{descadastro}}\n")
        raw, = self.sink.accepted()
        mail = raw.parse()
        self.assertEqual((raw.sender, mail["From"], mail["To"]),
                         ("news@loja.example", "Loja <news@loja.example>", "ana@example.com"))
        self.assertEqual(mail["Subject"], mailing.SUBJECT)
        self.assertRegex(mail["Message-ID"], r"^<[^<>@\s]+@[^<>@\s]+>$")
        self.assertTrue(mail["Date"])
        self.assertEqual(mail["List-Unsubscribe-Post"], "List-Unsubscribe=One-Click")
        link = re.search(r"<(https://loja\.example/u/[^>]+)>", mail["List-Unsubscribe"])[1]
        self.assertIn(link, mail.get_body(("plain",)).get_content())
        entry, = self.mailings.entries(id)
        self.assertEqual((entry["status"], entry["externalId"], entry["uncertain"], entry["line"]),
                         ("SENT", raw.queue_id, False, 2), entry)
        self.leave(link.removeprefix("https://loja.example"))

    def leave(self, path):
        page = self.server.ask("GET", path)
        self.assertEqual(page.status, 200)
        self.assertIn("text/html", page.headers["Content-Type"])
        self.assertIn(b"<button", page.body)
        self.assertEqual(self.mailings.all("/supressoes"), [], "looking at the page changes nothing")
        wrong = path[:-1] + ("0" if path[-1] != "0" else "1")
        for method in ("GET", "POST"):
            self.assertEqual(self.server.ask(method, wrong).status, 404)
        for _ in range(2):
            left = self.server.ask("POST", path, b"List-Unsubscribe=One-Click",
                                   headers={"Content-Type": "application/x-www-form-urlencoded"})
            self.assertEqual(left.status, 200, left)
        self.assertEqual([each["email"] for each in self.mailings.all("/supressoes")], ["ana@example.com"])
        id, done = self.run_through("depois.csv", csv_of(["Ana@example.com", "bia@example.com"]))
        self.assertEqual(self.statuses(id), {"ana@example.com": "FAILED", "bia@example.com": "SENT"})
        self.assertEqual(self.sink.counts(), {"ana@example.com": 1, "bia@example.com": 1})

    def test_the_suppression_list(self):
        self.open()
        for _ in range(2):
            added = self.mailings.ask("POST", "/supressoes", {"email": " Ana@Example.com ", "motivo": "pediu"})
            self.assertIn(added.status, (200, 201), added)
        self.assertEqual([each["email"] for each in self.mailings.all("/supressoes")], ["ana@example.com"])
        id, done = self.run_through("a.csv", csv_of(["ana@example.com"]))
        entry, = self.mailings.entries(id)
        self.assertEqual((entry["status"], entry["error"]), ("FAILED", "suprimido"), entry)
        removed = self.mailings.ask("DELETE", "/supressoes/ana@example.com")
        self.assertIn(removed.status, (200, 204), removed)
        self.mailings.order(id, "reenviar-falhas")
        self.mailings.wait_for(id, "COMPLETED")
        self.assertEqual(self.sink.counts(), {"ana@example.com": 1})

    def test_nothing_is_sent_without_a_transport(self):
        self.open(sink=None)
        id = self.mailings.upload("espera.csv", csv_of(["ana@example.com"]))
        kept = wait_until("it says why", lambda: (got := self.mailings.get(id))["error"] and got)
        self.assertEqual((kept["status"], kept["ingested"], kept["counts"]["pending"]), ("QUEUED", True, 1), kept)
        self.assertIn("smtp", kept["error"])

    def test_a_folder_instead_of_a_server(self):
        self.open("--smtp", "file:outbox", sink=None)
        id, done = self.run_through("pasta.csv", csv_of(["ana@example.com", "bia@example.com"]))
        self.assertEqual(done["counts"]["sent"], 2, done)
        folder = os.path.join(self.installation.folder, "outbox")
        names = sorted(name for name in os.listdir(folder) if name.endswith(".eml"))
        self.assertEqual(len(names), 2, names)
        with open(os.path.join(folder, "sent.log"), encoding="utf-8") as log:
            self.assertEqual(len(log.readlines()), 2, "a line for every hand-over")
        with open(os.path.join(folder, names[0]), "rb") as file:
            mail = email.message_from_binary_file(file, policy=email.policy.default)
        self.assertEqual(mail["Subject"], mailing.SUBJECT)


class ServerTest(EdgesTest):
    """What the SMTP server says, and when it says nothing."""

    def test_refused_for_good(self):
        self.open()
        id, done = self.run_through("recusa.csv", csv_of(
            ["bad-1@example.com", "full-1@example.com", "ana@example.com"]))
        self.assertEqual(self.statuses(id), {
            "bad-1@example.com": "FAILED", "full-1@example.com": "FAILED", "ana@example.com": "SENT"})
        why = {entry["email"]: entry["error"] for entry in self.mailings.entries(id, status="FAILED")}
        self.assertIn("550", why["bad-1@example.com"])
        self.assertIn("552", why["full-1@example.com"])
        self.assertEqual(self.mailings.uncertain(id), set())
        self.mailings.order(id, "reenviar-falhas")
        again = self.mailings.wait_for(id, "COMPLETED")
        self.assertEqual((again["counts"]["failed"], again["counts"]["sent"]), (2, 1), again)
        self.assertEqual(self.sink.counts(), {"ana@example.com": 1})

    def test_put_off(self):
        self.open(attempts_max=4)
        id, done = self.run_through("adia.csv", csv_of(["temp-1@example.com", "late-1@example.com"]))
        self.assertEqual(self.statuses(id), {"temp-1@example.com": "SENT", "late-1@example.com": "FAILED"})
        attempts = {entry["email"]: entry["attempts"] for entry in self.mailings.entries(id)}
        self.assertEqual(attempts["late-1@example.com"], 4)
        self.assertEqual(self.sink.counts(), {"temp-1@example.com": 1})

    def test_an_answer_that_never_came(self):
        self.open(sink=self.enterContext(Sink("--times", "1")))
        for policy, status, mails in (("no-maximo-uma", "UNKNOWN", 1), ("ao-menos-uma", "SENT", 2)):
            with self.subTest(policy):
                silent = f"cut-1@{policy}.example"
                addresses = [silent, f"ana@{policy}.example"]
                id, done = self.run_through(f"{policy}.csv", csv_of(addresses), incerteza=policy)
                self.assertEqual(self.statuses(id), {silent: status, f"ana@{policy}.example": "SENT"})
                self.assertEqual(self.mailings.uncertain(id), {silent})
                got = [mail for mail in self.sink.accepted() if mail.to == silent]
                self.assertEqual(len(got), mails)
                self.assertEqual(len({mail.message_id for mail in got}), 1, "the same Message-ID every time")
                if status == "UNKNOWN":
                    self.decide(id, silent)

    def decide(self, id, silent):
        self.mailings.order(id, "reenviar-falhas")
        self.assertEqual(self.mailings.wait_for(id, "COMPLETED")["counts"]["unknown"], 1, "failures alone")
        self.mailings.order(id, "reenviar-falhas", {"incertas": True})
        done = self.mailings.wait_for(id, "COMPLETED")
        self.assertEqual((done["counts"]["unknown"], done["counts"]["sent"]), (0, 2), done)
        self.assertEqual(self.sink.counts()[silent], 2)
        self.assertEqual(self.mailings.uncertain(id), {silent}, "it stays among the uncertain for ever")

    def test_a_server_that_is_away(self):
        self.open()
        self.sink.stop()
        id = self.mailings.upload("longe.csv", csv_of(["ana@example.com", "bia@example.com"]))
        kept = wait_until("it says why", lambda: (got := self.mailings.get(id))["error"] and got)
        self.assertEqual((kept["status"], kept["counts"]["pending"]), ("PROCESSING", 2), kept)
        self.sink.start()
        self.mailings.wait_for(id, "COMPLETED")
        self.assertEqual({entry["attempts"] for entry in self.mailings.entries(id)} - {0, 1}, set())
        self.assertEqual(self.mailings.uncertain(id), set())
        self.assertEqual(self.sink.counts(), {"ana@example.com": 1, "bia@example.com": 1})

    def certificate(self, folder):
        subprocess.run(
            [need("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-days", "2", "-out",
             "smtp.pem", "-keyout", "smtp.key"], cwd=folder, check=True, stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        return os.path.join(folder, "smtp.pem"), os.path.join(folder, "smtp.key")

    def secured(self, *options):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        certificate, key = self.certificate(folder)
        return self.enterContext(Sink("--cert", certificate, "--key", key, "--user", "loja", "--password", "s3cr&t/o",
                                      *options)), certificate

    def test_starttls_and_a_password(self):
        for options, scheme in ((("--require-starttls",), "smtp"), (("--tls",), "smtps")):
            with self.subTest(scheme):
                sink, certificate = self.secured(*options)
                self.open(sink=None)
                self.sink = sink
                self.server.stop()
                url = f"{scheme}://loja:s3cr%26t%2Fo@localhost:{sink.port}"
                self.server.arguments = ("--smtp", f"{url}?ca={certificate}")
                self.server.start()
                id, done = self.run_through("tls.csv", csv_of(["ana@example.com"]))
                mail, = sink.accepted()
                self.assertEqual((mail.tls, mail.user), (True, "loja"))
                self.assertNotIn("s3cr", self.server.log.tail(1000))

    def test_a_certificate_that_nobody_vouches_for(self):
        sink, _ = self.secured()
        self.open(sink=None)
        self.sink = sink
        self.server.stop()
        self.server.arguments = ("--smtp", f"smtp://loja:s3cr%26t%2Fo@localhost:{sink.port}")
        self.server.start()
        id = self.mailings.upload("tls.csv", csv_of(["ana@example.com"]))
        kept = wait_until("it says why", lambda: (got := self.mailings.get(id))["error"] and got)
        self.assertRegex(kept["error"].lower(), "certificate|tls|ssl")
        self.assertNotIn("s3cr", json.dumps(kept) + self.server.log.tail(1000))
        self.assertEqual(sink.accepted(), [])

    def test_a_wrong_password(self):
        sink, certificate = self.secured()
        self.open(sink=None)
        self.sink = sink
        self.server.stop()
        self.server.arguments = ("--smtp", f"smtp://loja:errada@localhost:{sink.port}?ca={certificate}")
        self.server.start()
        id = self.mailings.upload("senha.csv", csv_of(["ana@example.com"]))
        kept = wait_until("it says why", lambda: (got := self.mailings.get(id))["error"] and got)
        self.assertNotIn("errada", json.dumps(kept) + self.server.log.tail(1000))
        self.assertEqual((kept["counts"]["pending"], sink.accepted()), (1, []), "the recipient did nothing wrong")


class OrdersTest(EdgesTest):
    def setUp(self):
        self.open(batch=2)
        self.addresses = [f"p{number}@example.com" for number in range(40)]

    def begin(self, filename):
        self.sink.hold(after=10)
        id = self.mailings.upload(filename, csv_of(self.addresses))
        self.sink.wait_held()
        return id

    def test_pause_and_go_on(self):
        id = self.begin("pausa.csv")
        self.assertEqual(self.mailings.order(id, "pausar")["status"], "PAUSED")
        self.assertEqual(self.mailings.order(id, "pausar")["status"], "PAUSED", "he has what he wanted")
        self.sink.release()
        token = f"SELECT lock_token FROM mailings WHERE uuid = '{id}'"
        wait_until("its owner gave it back", lambda: self.installation.rows(token) == [("",)])
        paused = self.mailings.get(id)
        self.assertTrue(adds_up(paused), paused)
        self.assertEqual(paused["counts"]["sent"], len(self.sink.accepted()))
        self.assertLess(paused["counts"]["sent"], len(self.addresses))
        self.assertEqual(self.mailings.order(id, "retomar")["status"], "QUEUED")
        self.mailings.wait_for(id, "COMPLETED")
        self.assertEqual(self.sink.counts(), {address: 1 for address in self.addresses})
        self.assertEqual(self.mailings.uncertain(id), set())

    def test_pause_and_go_on_at_once(self):
        id = self.begin("pressa.csv")
        self.mailings.order(id, "pausar")
        self.mailings.order(id, "retomar")
        self.sink.release()
        self.mailings.wait_for(id, "COMPLETED")
        self.assertEqual(self.sink.counts(), {address: 1 for address in self.addresses})
        self.assertEqual(self.mailings.uncertain(id), set())

    def test_cancel(self):
        id = self.begin("cancela.csv")
        self.assertEqual(self.mailings.order(id, "cancelar")["status"], "CANCELLED")
        self.sink.release()
        token = f"SELECT lock_token FROM mailings WHERE uuid = '{id}'"
        wait_until("its owner gave it back", lambda: self.installation.rows(token) == [("",)])
        done = self.mailings.get(id)
        self.assertEqual((done["status"], done["counts"]["sent"]), ("CANCELLED", len(self.sink.accepted())), done)
        for order in ("retomar", "pausar", "iniciar"):
            refused = self.mailings.try_order(id, order)
            self.assertEqual((refused.status, refused.problem), (409, "invalid-transition"), refused)
        again = self.mailings.try_upload("cancela.csv", csv_of(self.addresses), **message())
        self.assertEqual((again.status, again.json["status"]), (200, "CANCELLED"), again)

    def test_orders_with_a_key_are_replayed(self):
        id = self.begin("chave.csv")
        first = self.mailings.try_order(id, "pausar", key="pausa-1")
        self.mailings.order(id, "retomar")
        again = self.mailings.try_order(id, "pausar", key="pausa-1")
        self.assertEqual((first.status, again.status, again.is_replay), (200, 200, True), again)
        self.assertNotEqual(self.mailings.get(id)["status"], "PAUSED", "a replay pauses nothing")
        self.sink.release()
        self.mailings.wait_for(id, "COMPLETED")

    def test_what_is_not_there(self):
        nobody = "01900000-0000-7000-8000-000000000000"
        for answer in (self.mailings.ask("GET", f"/mailings/{nobody}"), self.mailings.try_order(nobody, "pausar"),
                       self.mailings.ask("GET", f"/mailings/{nobody}/entries"),
                       self.mailings.ask("GET", "/mailings/" + urllib.parse.quote("não-é-um-id")),
                       self.mailings.ask("PATCH", f"/mailings/{nobody}", message())):
            self.assertEqual(answer.status, 404, answer)


class LargeFileTest(EdgesTest):
    def test_progress_and_memory(self):
        self.open(sink=None)
        content = "email;nome\n" + "".join(f"p{number}@example.com;Pessoa {number}\n" for number in range(LINES))
        before = peak_kib(self.server.process)
        turns = itertools.count()
        # Whoever stands still while a file is read sees nothing of it: then another one is looked at.
        wait_until("progress is seen while it goes on",
                   lambda: self.count_steps(f"muitos-{next(turns)}.csv", content) > 3, 2 * WAIT_SECONDS)
        self.assertLess(peak_kib(self.server.process) - before, MEMORY_KIB * (4 if SANITIZED else 1))

    def count_steps(self, filename, content):
        """How many different counts of lines were seen until all of them were read."""
        id = self.mailings.upload(filename, content)
        seen = []

        def is_read():
            seen.append(self.mailings.get(id))
            return seen[-1]["ingested"]

        wait_until("the file is read", is_read, 2 * WAIT_SECONDS, pause=0.005)
        reads = [each["readLines"] for each in seen]
        self.assertEqual(reads, sorted(reads))
        self.assertEqual(seen[-1]["counts"]["entries"], LINES)
        self.assertEqual(seen[-1]["readBytes"], len(content))
        return len(set(reads))

    def test_a_killed_ingestion_goes_on_where_it_was(self):
        self.open(sink=None)
        lines = LINES // 4
        content = csv_of([f"p{number % (lines - 100)}@example.com" for number in range(lines)])
        id = self.mailings.upload("morre.csv", content)
        wait_until("some of it is read", lambda: self.mailings.get(id)["readLines"] > 2000)
        self.server.kill()
        self.installation.let_locks_end()
        self.server.start()
        done = wait_until("the file is read", lambda: (got := self.mailings.get(id))["ingested"] and got)
        self.assertEqual((done["counts"]["entries"], done["counts"]["duplicates"]), (lines - 100, 100), done)
        self.assertEqual(self.installation.count("mailing_entries"), lines - 100)


class CommandTest(EdgesTest):
    def test_import_show_and_the_orders(self):
        self.open(sink=self.enterContext(Sink("--times", "1")))
        self.file("lista.csv", csv_of(["ana@example.com", "cut-1@example.com", "errado"]))
        self.file("texto.txt", "Olá\n")
        arguments = ("mailing", "import", "lista.csv", "--assunto", "Oi", "--remetente", mailing.SENDER, "--texto-file",
                     "texto.txt")
        first = json.loads(self.installation.run(*arguments, "--json"))
        self.assertTrue(first["created"], first)
        id = first["mailingId"]
        self.mailings.wait_for(id, "COMPLETED")
        again = json.loads(self.installation.run(*arguments, "--json"))
        self.assertEqual((again["created"], again["mailingId"]), (False, id))
        shown = self.installation.run("mailing", "show", id)
        self.assertIn("COMPLETED", shown)
        self.assertIn("cut-1@example.com", shown)
        self.assertNotIn("ana@example.com", shown)
        self.assertIn("lista.csv", self.installation.run("mailing", "list"))
        self.installation.run("mailing", "retry", id)
        for command in ("pause", "resume", "start"):
            code, _, complaint = self.installation.try_run("mailing", command, "01900000-0000-7000-8000-000000000000")
            self.assertEqual(code, 1, complaint)
            self.assertTrue(complaint)

    def test_import_shows_progress(self):
        self.open(sink=None)
        self.file("muitos.csv", csv_of([f"p{number}@example.com" for number in range(20000)]))
        code, printed, told = self.installation.try_run(
            "mailing", "import", "muitos.csv", "--assunto", "Oi", "--remetente", mailing.SENDER, "--texto-file",
            self.file("t.txt", "Olá\n"))
        self.assertEqual(code, 0, told)
        self.assertIn("20000", re.sub(r"[.,\s]", "", printed + told))

    def test_import_without_a_server(self):
        self.open()
        self.server.stop()
        self.file("lista.csv", csv_of(["ana@example.com"]))
        self.file("texto.txt", "Olá\n")
        made = json.loads(self.installation.run(
            "mailing", "import", "lista.csv", "--assunto", "Oi", "--remetente", mailing.SENDER, "--texto-file",
            "texto.txt", "--json"))
        self.server.start()
        self.mailings.wait_for(made["mailingId"], "COMPLETED")
        self.assertEqual(self.sink.counts(), {"ana@example.com": 1})


class SettingsTest(support.TestCase):
    def check(self, *arguments, before="", **settings):
        with MailingInstallation(None, before, **settings) as installation:
            code, printed, complaint = installation.try_run("config", "check", *arguments)
            return code, printed + complaint

    def test_what_cannot_be(self):
        for arguments, settings, words in (
                (("--smtp", "http://mail.example"), {}, ("smtp",)),
                (("--smtp", "smtp://:secreta@mail.example:99999"), {}, ("smtp",)),
                (("--smtp", "smtp://u:%ZZsecreta@mail.example"), {}, ("smtp", "%25")),
                (("--smtp", "smtp://mail.example:25/caminho"), {}, ("smtp", "ehlo")),
                (("--smtp", "smtps://mail.example?starttls=never"), {}, ("smtp", "starttls")),
                (("--smtp", "smtps://mail.example?ca=/nao/ha.pem"), {}, ("smtp", "/nao/ha.pem")),
                (("--smtp", "file:/etc/passwd"), {}, ("smtp", "folder")),
                (("--smtp", "file:/proc/x"), {}, ("smtp", "folder")),
                (("--mailing-storage", "/proc/none"), {}, ("mailing.storage", "folder")),
                ((), {"public_url": "http://u:secreta@loja.example"}, ("public_url", "recipient")),
                (("--broker", "http://localhost"), {}, ("amqp",)),
                ((), {"lock_timeout": "0s"}, ("lock_timeout",)),
                ((), {"recovery_period": "-1s"}, ("recovery_period",)),
                ((), {"batch": 0}, ("batch",)),
                ((), {"threads": 0}, ("threads",)),
                ((), {"dedupe": "nome"}, ("dedupe", "content")),
                ((), {"public_url": "loja"}, ("public_url", "http")),
                ((), {"upload_max": "muito"}, ("upload_max",)),
                ((), {"rate": -1}, ("rate",)),
                ((), {"retry_longest": "1ms", "retry_first": "1s"}, ("retry",)),
                ((), {"lok_timeout": "3s"}, ("lock_timeout",))):
            with self.subTest(arguments=arguments, settings=settings):
                code, told = self.check(*arguments, **settings)
                self.assertNotEqual(code, 0, told)
                for word in words:
                    self.assertIn(word, told)
                self.assertNotIn("secreta", told)

    def test_secrets_come_from_files(self):
        with MailingInstallation() as installation, Sink() as sink:
            path = os.path.join(installation.folder, "smtp-url")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"{sink.url}\n")
            environment = {**installation.environment, "UMAVEZ_SMTP_FILE": path}
            ran = support.run_child([os.environ["UMAVEZ_PROGRAM"], "config", "check"], cwd=installation.folder,
                                    env=environment, capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)


class RateTest(EdgesTest):
    def test_so_many_in_a_second(self):
        self.open("--mailing-rate", "20")
        id, done = self.run_through("ritmo.csv", csv_of([f"p{number}@example.com" for number in range(60)]))
        rows = self.installation.rows(
            "SELECT (completed_at - created_at) / 1000 FROM mailings")
        # A bucket may be full at first: 60 mails at 20 in a second take two seconds at least.
        self.assertGreater(int(float(rows[0][0])), 1500)
        self.assertEqual(done["counts"]["sent"], 60)


if __name__ == "__main__":
    run_tests()
