#!/usr/bin/python3
"""A real SMTP server on loopback that takes mail, counts it and misbehaves on demand (Debian's python3-aiosmtpd).

Usage: smtp_sink.py --accepted FILE [options]; prints "listening on PORT" when it does, and runs until SIGTERM.

Every message that it TAKES is one line of JSON appended to FILE before the 250 is written:
  {"message_id", "rcpt", "from", "time", "size", "connection", "queue_id", "tls", "user"}
The file is the truth of a test: what stands there was taken, whatever the client was told.

  --port N           where to listen [0: any free port]
  --keep FOLDER      also write each message as it came, FOLDER/<queue id>.eml
  --connections FILE one line per connection that was opened: its number
  --close-after N    close each connection after N messages
  --delay SECONDS    before the answer to each message
  --cut-every N      each Nth message: drop the connection after the dot, instead of answering; every other one of
                     these was taken before (and stands in FILE)
  --times N          how often an address below gets its fault before it is served [temp-: 1, others: always]
  --cert F --key F   offer STARTTLS; with --tls speak TLS from the start; with --require-starttls insist on it
  --make-cert FOLDER write cert.pem and key.pem (for localhost and 127.0.0.1) there first, and use them
  --user U --password P   require AUTH with these
  --control          take orders from standard input: "hold N" lets answers wait once N messages were taken, "release"
                     lets them go; each is confirmed by its own line, and "held N" tells how many answers wait

The local part of a recipient asks for a fault:
  bad-…   550 for RCPT             temp-…  451 for RCPT (the first --times)
  full-…  552 after the dot        late-…  451 after the dot
  gone-…  421 for RCPT, and closes
  cut-…   takes the message and drops the connection without an answer
  lost-…  drops the connection after the dot without having taken the message
  slow-…  answers 2 s later
"""

import argparse
import asyncio
import email.parser
import json
import logging
import os
import signal
import ssl
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

from aiosmtpd.smtp import SMTP, AuthResult

RCPT_FAULTS = {"bad": "550 5.1.1 no such user", "temp": "451 4.2.1 try again later", "gone": "421 4.3.2 going away"}
DATA_FAULTS = {"full": "552 5.2.2 mailbox full", "late": "451 4.3.0 not now"}


class Sink:
    def __init__(self, options):
        self.options = options
        self.accepted = open_append(options.accepted)
        self.connected = open_append(options.connections) if options.connections else None
        self.connections = 0
        self.messages = 0
        self.seen = Counter()  # faults done to an address
        self.hold_after = None
        self.released = asyncio.Event()
        self.held = 0

    def fault_of(self, address):
        fault = address.split("-")[0].lower() if "-" in address.split("@")[0] else ""
        times = self.options.times if self.options.times is not None else (1 if fault == "temp" else None)
        if times is not None and self.seen[address] >= times:
            return ""
        return fault

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        fault = self.fault_of(address)
        if fault in RCPT_FAULTS:
            self.seen[address] += 1
            server.closes_after_answer = fault == "gone"
            return RCPT_FAULTS[fault]
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server, session, envelope):
        address = envelope.rcpt_tos[0]
        fault = self.fault_of(address)
        if fault in DATA_FAULTS:
            self.seen[address] += 1
            return DATA_FAULTS[fault]
        self.messages += 1
        if self.options.cut_every and self.messages % self.options.cut_every == 0:
            fault = "cut" if self.messages // self.options.cut_every % 2 else "lost"
        queue_id = f"{self.messages:08X}"
        if fault != "lost":
            self.take(server, session, envelope, queue_id)
        if fault in ("cut", "lost"):
            self.seen[address] += 1
            server.is_mute = True
            return "250 nobody reads this"
        delay = 2 if fault == "slow" else self.options.delay
        if delay:
            await asyncio.sleep(delay)
        if self.hold_after is not None and self.messages > self.hold_after:
            await self.hold()
        server.taken += 1
        server.closes_after_answer = server.taken == self.options.close_after
        return f"250 2.0.0 Ok: queued as {queue_id}"

    async def hold(self):
        self.held += 1
        print(f"held {self.held}", flush=True)
        try:
            await self.released.wait()
        finally:
            self.held -= 1

    def order(self, line):
        words = line.split()
        if words[0] == "hold":
            self.hold_after = int(words[1])
            self.released.clear()
        else:
            self.hold_after = None
            self.released.set()
        print(line, flush=True)

    def take(self, server, session, envelope, queue_id):
        headers = email.parser.BytesHeaderParser().parsebytes(envelope.original_content.split(b"\r\n\r\n")[0])
        line = json.dumps({
            "message_id": (headers["Message-ID"] or "").strip(" <>"), "rcpt": envelope.rcpt_tos,
            "from": envelope.mail_from, "time": time.time(), "size": len(envelope.original_content),
            "connection": server.number, "queue_id": queue_id, "tls": session.ssl is not None or self.options.tls,
            "user": self.options.user if session.authenticated else None})
        if self.options.keep:
            Path(self.options.keep, f"{queue_id}.eml").write_bytes(envelope.original_content)
        os.write(self.accepted, line.encode() + b"\n")


class Connection(SMTP):
    """One client. Drops it where the sink says so."""

    def __init__(self, sink, **settings):
        super().__init__(sink, hostname="sink.example", ident="sink", timeout=600, **settings)
        self.sink = sink
        self.taken = 0
        self.is_mute = False
        self.closes_after_answer = False
        self.number = 0

    def connection_made(self, transport):
        if self.number == 0:  # not again after STARTTLS
            self.sink.connections += 1
            self.number = self.sink.connections
            if self.sink.connected is not None:
                os.write(self.sink.connected, b"%d\n" % self.number)
        super().connection_made(transport)

    async def push(self, status):
        if not self.is_mute:
            await super().push(status)
        if self.is_mute or self.closes_after_answer:
            self.transport.close()


def open_append(path):
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)


def make_certificate(folder):
    cert, key = Path(folder, "cert.pem"), Path(folder, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    return str(cert), str(key)


def settings_of(options):
    settings = {}
    if options.cert and not options.tls:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options.cert, options.key)
        settings |= {"tls_context": context, "require_starttls": options.require_starttls}
    if options.user:
        def check(server, session, envelope, mechanism, data):
            good = (data.login, data.password) == (options.user.encode(), options.password.encode())
            return AuthResult(success=good, handled=good, message=None if good else "535 5.7.8 wrong password")
        settings |= {"auth_required": True, "auth_require_tls": bool(options.cert) and not options.tls,
                     "authenticator": check}
    return settings


async def obey(sink):
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        sink.order(line.decode().strip())


async def serve(options):
    sink = Sink(options)
    settings = settings_of(options)
    context = None
    if options.tls:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options.cert, options.key)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(sink, loop=loop, **settings), "127.0.0.1", options.port, ssl=context, backlog=512)
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    print(f"listening on {server.sockets[0].getsockname()[1]}", flush=True)
    orders = asyncio.create_task(obey(sink)) if options.control else None
    await stop.wait()
    if orders:
        orders.cancel()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--accepted", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--keep")
    parser.add_argument("--connections")
    parser.add_argument("--close-after", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0)
    parser.add_argument("--cut-every", type=int, default=0)
    parser.add_argument("--times", type=int)
    parser.add_argument("--cert")
    parser.add_argument("--key")
    parser.add_argument("--make-cert")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--require-starttls", action="store_true")
    parser.add_argument("--user")
    parser.add_argument("--password", default="")
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args()
    if options.make_cert:
        options.cert, options.key = make_certificate(options.make_cert)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    asyncio.run(serve(options))


if __name__ == "__main__":
    main()
