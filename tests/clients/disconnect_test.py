#!/usr/bin/env python3
"""A client that leaves at every byte of its request and of the answer changes nothing."""


import support
from support import Server, client_of, raw_post, read_answer, reset


def request_of(key):
    return raw_post("/api/v1/clientes", key, client_of(key))


class DisconnectTest(support.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())

    def send_all(self, key):
        """The answer to a whole request; what still runs is asked for again."""
        def attempt():
            with self.server.connect() as connection:
                connection.sendall(request_of(key))
                answer = read_answer(connection.makefile("rb"))
            self.assertIsNotNone(answer, key)
            return answer if answer[0] not in (409, 503) else None
        return support.wait_until(f"{key} is still in progress", attempt)

    def leave_within_the_request(self, leave):
        length = len(request_of("key-0000"))
        for count in range(length + 1):
            connection = self.server.connect()
            connection.sendall(request_of(f"key-{count:04}")[:count])
            leave(connection)
        for count in range(length + 1):
            status, headers, body = self.send_all(f"key-{count:04}")
            if count < length:
                self.assertEqual(status, 201, f"after {count} of {length} bytes: {body}")
            else:
                self.assertIn(status, (200, 201), body)
            self.assertEqual("idempotent-replayed" in headers, status == 200)
        self.assertEqual(self.server.count("clientes"), length + 1)
        self.server.wait_ready()

    def test_leaving_at_every_byte_of_the_request(self):
        self.leave_within_the_request(lambda connection: connection.close())

    def test_breaking_off_at_every_byte_of_the_request(self):
        self.leave_within_the_request(reset)

    def test_leaving_at_every_byte_of_the_answer(self):
        with self.server.connect() as connection:
            connection.sendall(request_of("key-0000"))
            connection.shutdown(1)
            length = len(support.read_to_end(connection))

        refusals = 0
        for count in range(1, length + 1):
            key = f"key-{count:04}"
            connection = self.server.connect()
            connection.sendall(request_of(key))
            remaining = count
            while remaining > 0:
                with support.awaited("more of an answer"):
                    piece = connection.recv(remaining)
                self.assertTrue(piece, "the server closed in the middle of an answer")
                remaining -= len(piece)
                # Ids grow longer, and with them answers: the last bytes may be missing, never more.
            reset(connection)
            # One byte of the answer, and the client is there for ever; unless that answer said 503.
            status, headers, body = self.send_all(key)
            if status == 201 and self.server.log.statuses[503] > refusals:
                refusals = self.server.log.statuses[503]
                status, headers, body = self.send_all(key)
            self.assertEqual(status, 200, f"after {count} bytes of the answer: {body}")
            self.assertEqual(headers.get("idempotent-replayed"), "true")
        self.assertEqual(self.server.count("clientes"), length + 1)

    def test_leaving_without_reading_many_answers(self):
        """Pipelined, then gone: what was executed replays, the rest executes."""
        keys = [f"key-{number:04}" for number in range(300)]
        connection = self.server.connect()
        connection.sendall(b"".join(request_of(key) for key in keys))
        reset(connection)
        statuses = [self.send_all(key)[0] for key in keys]
        self.assertLessEqual(set(statuses), {200, 201})
        self.assertEqual(self.server.count("clientes"), 300)


if __name__ == "__main__":
    support.run_tests()
