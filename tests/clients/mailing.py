"""Mailings from outside: what is uploaded, what the server says of it, and settings that let tests be short."""

import json
import os
import sqlite3
import urllib.parse
import uuid

from installation import Installation
from support import SANITIZED, WAIT_SECONDS, until_taken, wait_until

# Signs of life come every third of it: nobody is taken for dead because the machine stood still for a while. What a
# dead worker left need not be waited for, see let_locks_end().
LOCK_SECONDS = 12
SETTINGS = f"""[mailing]
lock_timeout = "{LOCK_SECONDS}s"
recovery_period = "500ms"
retry_first = "100ms"
retry_longest = "500ms"
"""
SUBJECT = "Novidades de novembro"
SENDER = "Loja <news@loja.example>"
TEXT = "Olá!\n"


def settings(**more):
    """SETTINGS with others of [mailing] instead or beside; what is no text stands as it is."""
    lines = dict(line.split(" = ", 1) for line in SETTINGS.splitlines()[1:])
    for name, value in more.items():
        lines[name] = json.dumps(value)
    return "[mailing]\n" + "".join(f"{name} = {value}\n" for name, value in lines.items())


class MailingInstallation(Installation):
    def __init__(self, postgres=None, before="", **more):
        """`before`: settings that belong to no section."""
        super().__init__(postgres, "", before + settings(**more))

    @property
    def environment(self):
        """Memory is measured: a sanitizer shall not keep what was freed."""
        given = super().environment
        return given | {"ASAN_OPTIONS": given.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=4"} if SANITIZED else given

    def write(self, statement):
        """Behind the back of the program."""
        if self.postgres:
            self.postgres.rows(statement)
            return
        database = sqlite3.connect(os.path.join(self.folder, "umavez.db"), timeout=WAIT_SECONDS)
        try:
            with database:
                database.execute(statement)
        finally:
            database.close()

    def copy_messages(self, id, copies):
        """Wake-ups of a mailing beside the one that is there, as a queue that delivers again and again would make."""
        for _ in range(copies):
            self.write(
                f"INSERT INTO umavez_messages (tenant_id, message_id, queue, aggregate, type, data, state, due_at, "
                f"created_at, changed_at) SELECT tenant_id, '{uuid.uuid4()}', queue, aggregate, type, data, 'pending', "
                f"0, created_at, changed_at FROM umavez_messages WHERE aggregate = 'mailing/{id}' ORDER BY id LIMIT 1")

    def let_locks_end(self):
        """The locks of workers that died, and what was held back by them: as if their time had passed."""
        self.write("UPDATE mailings SET last_attempt = 0 WHERE lock_token IS NOT NULL")
        self.let_takings_end()

    def let_takings_end(self):
        """A message that somebody took is his for a minute, as if it had passed."""
        self.write("UPDATE umavez_messages SET due_at = 0 WHERE state = 'pending'")

    def pending_messages(self, id):
        return self.count("umavez_messages", f"aggregate = 'mailing/{id}' AND state = 'pending'")


def csv_of(addresses, header="email"):
    return "".join(f"{line}\n" for line in [header, *addresses])


def message(**more):
    return {"assunto": SUBJECT, "remetente": SENDER, "texto": TEXT, **more}


def multipart(filename, content, fields):
    """(body, content type) as a browser makes them, the file last."""
    content = content if isinstance(content, bytes) else content.encode()
    boundary = f"----umavez{uuid.uuid4().hex}"
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
             for name, value in fields.items()]
    parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n'
                 f"Content-Type: text/csv\r\n\r\n".encode() + content + b"\r\n")
    return b"".join(parts) + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


class Mailings:
    """The mailings of one server, over HTTP."""

    def __init__(self, server):
        self.server = server

    def ask(self, method, path, body=None, **more):
        return self.server.ask(method, f"/api/v1{path}", body, **more)

    def try_upload(self, filename, content, **fields):
        """With `fields` of the message, or none: then it is a draft."""
        body, kind = multipart(filename, content, fields)
        return self.ask("POST", "/mailings", body, headers={"Content-Type": kind})

    def try_upload_csv(self, filename, content, **query):
        content = content if isinstance(content, bytes) else content.encode()
        asked = urllib.parse.urlencode({"filename": filename, **query})
        return self.ask("POST", f"/mailings?{asked}", content, headers={"Content-Type": "text/csv"})

    def upload(self, filename, content, **fields):
        """Gives the id."""
        answer = until_taken(filename, lambda: self.try_upload(filename, content, **message(**fields)))
        assert answer.status in (200, 201), answer
        return answer.json["mailingId"]

    def get(self, id):
        answer = until_taken(id, lambda: self.ask("GET", f"/mailings/{id}"))
        assert answer.status == 200, answer
        return answer.json

    def all(self, path, **query):
        """Every page of a list."""
        items, cursor = [], None
        while True:
            asked = urllib.parse.urlencode({**query, **({"cursor": cursor} if cursor is not None else {})})
            answer = until_taken(path, lambda: self.ask("GET", f"{path}?{asked}"))
            assert answer.status == 200, answer
            items += answer.json["itens"]
            cursor = answer.json["proximo"]
            if cursor is None:
                return items

    def list(self, **query):
        return self.all("/mailings", **query)

    def entries(self, id, **query):
        return self.all(f"/mailings/{id}/entries", **{"limit": 100, **query})

    def uncertain(self, id):
        """The addresses that the ledger names as uncertain."""
        return {entry["email"] for entry in self.entries(id, uncertain="true")}

    def try_order(self, id, order, body=None, key=None):
        return self.ask("POST", f"/mailings/{id}/{order}", body, key=key)

    def order(self, id, order, body=None):
        answer = until_taken(order, lambda: self.try_order(id, order, body))
        assert answer.status == 200, answer
        return answer.json

    def wait_for(self, id, *statuses, seconds=WAIT_SECONDS):
        """Until it is in one of the statuses; gives it."""
        seen = []

        def arrived():
            seen[:] = [self.get(id)]
            return seen[0]["status"] in statuses and seen[0]

        return wait_until(f"{id} is {statuses}", arrived, seconds, lambda: seen)

    def wait_sent(self, id, count, seconds=WAIT_SECONDS):
        return wait_until(f"{count} of {id} are sent", lambda: self.get(id)["counts"]["sent"] >= count, seconds)


def adds_up(mailing):
    """What counts of a mailing must always satisfy."""
    counts = mailing["counts"]
    return counts["entries"] == counts["pending"] + counts["sent"] + counts["failed"] + counts["unknown"]


def peak_kib(process):
    """The most memory a process ever had."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))

