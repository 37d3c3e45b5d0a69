"""A client of RabbitMQ in plain Python, as small as the tests allow: it declares, publishes with confirms, takes and
counts. Nothing of it is shared with the program, whose client it checks. One thread."""

import collections
import socket
import struct
import urllib.parse

from support import WAIT_SECONDS, awaited

METHOD, HEADER, BODY, HEARTBEAT = 1, 2, 3, 8
FRAME_END = 0xCE
NAMES = ("content_type", "content_encoding", "headers", "delivery_mode", "priority", "correlation_id", "reply_to",
         "expiration", "message_id", "timestamp", "type", "user_id", "app_id")

CONNECTION_START, CONNECTION_START_OK = (10, 10), (10, 11)
CONNECTION_TUNE, CONNECTION_TUNE_OK = (10, 30), (10, 31)
CONNECTION_OPEN, CONNECTION_OPEN_OK = (10, 40), (10, 41)
CHANNEL_OPEN, CHANNEL_OPEN_OK = (20, 10), (20, 11)
CLOSINGS = {(10, 50): "connection", (20, 40): "channel"}
EXCHANGE_DECLARE, EXCHANGE_DECLARE_OK = (40, 10), (40, 11)
QUEUE_DECLARE, QUEUE_DECLARE_OK = (50, 10), (50, 11)
QUEUE_BIND, QUEUE_BIND_OK = (50, 20), (50, 21)
QUEUE_UNBIND, QUEUE_UNBIND_OK = (50, 50), (50, 51)
QUEUE_DELETE, QUEUE_DELETE_OK = (50, 40), (50, 41)
BASIC_PUBLISH, BASIC_RETURN = (60, 40), (60, 50)
BASIC_GET, BASIC_GET_OK, BASIC_GET_EMPTY = (60, 70), (60, 71), (60, 72)
BASIC_ACK, BASIC_NACK = (60, 80), (60, 120)
CONFIRM_SELECT, CONFIRM_SELECT_OK = (85, 10), (85, 11)

Message = collections.namedtuple("Message", "body properties raw tag")


class Refused(Exception):
    """What the broker said when it closed the channel or the connection."""


def short(text):
    return struct.pack(">B", len(text.encode())) + text.encode()


def long(data):
    data = data if isinstance(data, bytes) else data.encode()
    return struct.pack(">I", len(data)) + data


def table(values):
    """Of texts, numbers and truths."""
    packed = b""
    for name, value in values.items():
        packed += short(name)
        if isinstance(value, bool):
            packed += b"t" + struct.pack(">B", value)
        elif isinstance(value, int):
            packed += b"l" + struct.pack(">q", value)
        else:
            packed += b"S" + long(value)
    return long(packed)


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, form):
        value, = struct.unpack_from(f">{form}", self.data, self.at)
        self.at += struct.calcsize(f">{form}")
        return value

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def short(self):
        return self.bytes(self.take("B")).decode()

    def value(self):
        kind = chr(self.take("B"))
        simple = {"t": "?", "b": "b", "B": "B", "s": "h", "u": "H", "I": "i", "i": "I", "l": "q", "T": "Q", "f": "f",
                  "d": "d"}
        if kind in simple:
            return self.take(simple[kind])
        if kind in "Sx":
            return self.bytes(self.take("I")).decode("utf-8", "replace")
        if kind == "F":
            return self.table()
        if kind == "A":
            inner = Reader(self.bytes(self.take("I")))
            values = []
            while inner.at < len(inner.data):
                values.append(inner.value())
            return values
        assert kind == "V", f"no value is of kind {kind}"
        return None

    def table(self):
        inner = Reader(self.bytes(self.take("I")))
        values = {}
        while inner.at < len(inner.data):
            name = inner.short()
            values[name] = inner.value()
        return values


def pack_properties(values):
    flags, packed = 0, b""
    for position, name in enumerate(NAMES):
        if name not in values:
            continue
        flags |= 1 << (15 - position)
        value = values[name]
        if name == "headers":
            packed += table(value)
        elif name in ("delivery_mode", "priority"):
            packed += struct.pack(">B", value)
        elif name == "timestamp":
            packed += struct.pack(">Q", value)
        else:
            packed += short(value)
    return struct.pack(">H", flags) + packed


def read_properties(raw):
    reader = Reader(raw)
    flags = reader.take("H")
    values = {}
    for position, name in enumerate(NAMES):
        if not flags & 1 << (15 - position):
            continue
        if name == "headers":
            values[name] = reader.table()
        elif name in ("delivery_mode", "priority"):
            values[name] = reader.take("B")
        elif name == "timestamp":
            values[name] = reader.take("Q")
        else:
            values[name] = reader.short()
    return values


class Amqp:
    """A connection with one channel, in confirm mode. `url` as the program takes it:
    amqp://user:password@host:port/vhost"""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        with awaited("the broker takes a connection"):
            self.socket = socket.create_connection((parts.hostname, parts.port or 5672), timeout=WAIT_SECONDS)
        self.file = self.socket.makefile("rb")
        self.published = 0
        try:
            user = urllib.parse.unquote(parts.username or "guest")
            password = urllib.parse.unquote(parts.password or "guest")
            vhost = urllib.parse.unquote(parts.path[1:]) if len(parts.path) > 1 else "/"
            self._open(user, password, vhost)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.file.close()
        self.socket.close()

    def _open(self, user, password, vhost):
        self.socket.sendall(b"AMQP\0\0\x09\x01")
        self._wait(CONNECTION_START)
        self._send(0, CONNECTION_START_OK,
                   table({}) + short("PLAIN") + long(f"\0{user}\0{password}") + short("en_US"))
        self._wait(CONNECTION_TUNE)
        self._send(0, CONNECTION_TUNE_OK, struct.pack(">HIH", 1, 131072, 0))
        self._call(CONNECTION_OPEN, short(vhost) + b"\0\0", CONNECTION_OPEN_OK, channel=0)
        self._call(CHANNEL_OPEN, b"\0", CHANNEL_OPEN_OK)
        self._call(CONFIRM_SELECT, b"\0", CONFIRM_SELECT_OK)

    def _frame(self, kind, channel, payload):
        self.socket.sendall(struct.pack(">BHI", kind, channel, len(payload)) + payload + bytes([FRAME_END]))

    def _send(self, channel, method, arguments):
        self._frame(METHOD, channel, struct.pack(">HH", *method) + arguments)

    def _read_frame(self):
        with awaited("the broker answers"):
            head = self.file.read(7)
            if len(head) < 7:
                raise ConnectionResetError("the broker closed the connection")
            kind, _, size = struct.unpack(">BHI", head)
            payload = self.file.read(size + 1)
        assert payload[-1] == FRAME_END, "no end of a frame"
        return kind, payload[:-1]

    def _wait(self, *wanted):
        """The first of the methods wanted: (which, its arguments). What else comes meanwhile is dropped."""
        while True:
            kind, payload = self._read_frame()
            if kind != METHOD:
                continue
            method = struct.unpack_from(">HH", payload)
            arguments = Reader(payload[4:])
            if method in wanted:
                return method, arguments
            if method in CLOSINGS:
                raise Refused(f"{CLOSINGS[method]} closed: {arguments.take('H')} {arguments.short()}")

    def _call(self, method, arguments, answer, channel=1):
        self._send(channel, method, arguments)
        return self._wait(answer)[1]

    def declare_exchange(self, name, kind):
        self._call(EXCHANGE_DECLARE, b"\0\0" + short(name) + short(kind) + b"\x02" + table({}), EXCHANGE_DECLARE_OK)

    def declare_queue(self, name, durable=True, **arguments):
        """Arguments as RabbitMQ names them, with _ for -."""
        named = {name.replace("_", "-"): value for name, value in arguments.items()}
        self._call(QUEUE_DECLARE, b"\0\0" + short(name) + (b"\x02" if durable else b"\0") + table(named),
                   QUEUE_DECLARE_OK)

    def count(self, queue):
        """The messages that are ready in a queue."""
        answer = self._call(QUEUE_DECLARE, b"\0\0" + short(queue) + b"\x01" + table({}), QUEUE_DECLARE_OK)
        answer.short()
        return answer.take("I")

    def bind(self, queue, exchange, key):
        self._call(QUEUE_BIND, b"\0\0" + short(queue) + short(exchange) + short(key) + b"\0" + table({}), QUEUE_BIND_OK)

    def unbind(self, queue, exchange, key):
        self._call(QUEUE_UNBIND, b"\0\0" + short(queue) + short(exchange) + short(key) + table({}), QUEUE_UNBIND_OK)

    def delete_queue(self, name):
        self._call(QUEUE_DELETE, b"\0\0" + short(name) + b"\0", QUEUE_DELETE_OK)

    def publish(self, exchange, key, body, properties=None, raw=None):
        """Until the broker confirms it; one that reaches no queue is an error. `raw`: the properties of a message that
        was taken, byte by byte."""
        body = body if isinstance(body, bytes) else body.encode()
        raw = raw if raw is not None else pack_properties(properties or {})
        self._send(1, BASIC_PUBLISH, b"\0\0" + short(exchange) + short(key) + b"\x01")
        self._frame(HEADER, 1, struct.pack(">HHQ", 60, 0, len(body)) + raw)
        for begin in range(0, len(body), 100000):
            self._frame(BODY, 1, body[begin:begin + 100000])
        method, _ = self._wait(BASIC_ACK, BASIC_NACK, BASIC_RETURN)
        if method == BASIC_RETURN:
            self._wait(BASIC_ACK)
        if method != BASIC_ACK:
            raise Refused(f"{exchange}/{key}: {'unroutable' if method == BASIC_RETURN else 'nack'}")

    def get(self, queue, acknowledge=True):
        """The next message, or None."""
        self._send(1, BASIC_GET, b"\0\0" + short(queue) + (b"\1" if acknowledge else b"\0"))
        method, arguments = self._wait(BASIC_GET_OK, BASIC_GET_EMPTY)
        if method == BASIC_GET_EMPTY:
            return None
        tag = arguments.take("Q")
        kind, header = self._read_frame()
        assert kind == HEADER
        size, = struct.unpack_from(">Q", header, 4)
        body = b""
        while len(body) < size:
            kind, piece = self._read_frame()
            assert kind == BODY
            body += piece
        return Message(body, read_properties(header[12:]), header[12:], tag)

    def acknowledge(self, message):
        self._send(1, BASIC_ACK, struct.pack(">QB", message.tag, 0))

    def drain(self, queue):
        """All that is in a queue now."""
        taken = []
        while message := self.get(queue):
            taken.append(message)
        return taken


def count(url, queue):
    """The messages that are ready in a queue; None if there is no such queue."""
    with Amqp(url) as connection:
        try:
            return connection.count(queue)
        except Refused:
            return None
