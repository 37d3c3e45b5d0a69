#!/usr/bin/env python3
"""The tests and scenarios that Mailing began with, by their names, against the running program: over HTTP, on SQLite
and on PostgreSQL. The SMTP server counts what was sent."""

import time

import mailing
import support
from mailing import MailingInstallation, Mailings, csv_of
from postgres import Postgres
from smtp import Sink
from support import in_threads, run_tests, wait_until

RECIPIENTS = 60


def addresses(count=RECIPIENTS, name="pessoa"):
    return [f"{name}{number}@example.com" for number in range(count)]


class Seed:
    """What each test starts from. `workers` are the processes that send: the server itself, or two of their own."""

    def open(self, postgres=None):
        self.sink = self.enterContext(Sink())
        self.installation = self.enterContext(MailingInstallation(postgres))
        if postgres:
            self.server = self.installation.node("serve", "--no-worker").start()
            self.workers = [self.installation.node("worker", "--smtp", self.sink.url) for _ in range(2)]
        else:
            self.server = self.installation.node("serve", "--smtp", self.sink.url)
            self.workers = [self.server]
        self.mailings = Mailings(self.server)
        self.start()

    def start(self):
        for node in self.workers:
            if not node.is_running:
                node.start()

    def rows_of(self, filename):
        return self.installation.count("mailings", f"filename = '{filename}'")

    def assert_each_once(self, wanted):
        got = self.sink.counts()
        self.assertEqual(got, {address: 1 for address in wanted})

    def store(self, id, assignments):
        """Changes the row of a mailing behind the back of the program."""
        self.installation.write(f"UPDATE mailings SET {assignments} WHERE uuid = '{id}'")

    def wait_until_settled(self, id):
        """A worker settles the wake-up after the mailing's last state is there to be seen."""
        wait_until("every wake-up is settled", lambda: self.installation.pending_messages(id) == 0)

    # Testes

    def test_teste_1_upload_duplicado(self):
        """Teste 1: Upload Duplicado"""
        content = csv_of(["user@test.com"])
        first = self.mailings.try_upload("test.csv", content, **mailing.message())
        self.assertEqual((first.status, first.json["created"]), (201, True), first)
        second = self.mailings.try_upload("test.csv", content, **mailing.message())
        self.assertEqual((second.status, second.json["created"]), (200, False), second)
        self.assertEqual(second.json["mailingId"], first.json["mailingId"])
        self.assertNotIn("contentDiffers", second.json)
        self.assertEqual(self.rows_of("test.csv"), 1)
        self.mailings.wait_for(first.json["mailingId"], "COMPLETED")
        self.assert_each_once(["user@test.com"])

    def test_teste_2_email_duplicado_no_csv(self):
        """Teste 2: Email Duplicado no CSV"""
        id = self.mailings.upload("duplicados.csv", "\nemail\nuser@test.com\nadmin@test.com\nuser@test.com\n"
                                                    "admin@test.com\n")
        done = self.mailings.wait_for(id, "COMPLETED")
        self.assertEqual([entry["email"] for entry in self.mailings.entries(id)], ["user@test.com", "admin@test.com"])
        self.assertEqual((done["counts"]["entries"], done["counts"]["duplicates"]), (2, 2))
        self.assert_each_once(["user@test.com", "admin@test.com"])

    def test_teste_3_concurrent_processing(self):
        """Teste 3: Concurrent Processing"""
        self.sink.hold()
        id = self.mailings.upload("concorrente.csv", csv_of(addresses()))
        self.mailings.wait_for(id, "PROCESSING")
        self.sink.wait_held()
        token = self.installation.rows(f"SELECT lock_token FROM mailings WHERE uuid = '{id}'")
        # As many wake-ups as there may be workers: whoever takes one finds the lock held, and holds it back.
        self.installation.copy_messages(id, 4)
        of_it = f"aggregate = 'mailing/{id}' AND state = 'pending'"
        wait_until("every wake-up was taken",
                   lambda: self.installation.count("umavez_messages", f"{of_it} AND due_at = 0") == 0)
        signs = set()

        def has_renewed():
            """The lock that it took, and two signs of life since."""
            signs.update(self.installation.rows(f"SELECT last_attempt FROM mailings WHERE uuid = '{id}'"))
            return len(signs) > 2

        wait_until("the owner renews its lock while it waits for an answer", has_renewed, told=lambda: signs)
        self.assertEqual(self.mailings.get(id)["status"], "PROCESSING")
        self.assertEqual(self.installation.rows(f"SELECT lock_token FROM mailings WHERE uuid = '{id}'"), token)
        self.assertEqual(self.sink.held, 1, "one worker sends, over one connection")
        self.sink.release()
        self.mailings.wait_for(id, "COMPLETED")
        self.assert_each_once(addresses())

    def test_teste_4_crash_recovery(self):
        """Teste 4: Crash Recovery"""
        id = self.mailings.upload("recuperar.csv", csv_of(addresses()))
        self.mailings.wait_for(id, "COMPLETED")
        self.wait_until_settled(id)
        for node in self.workers:
            node.stop()
        # A worker whose broker is away recovers and wakes nobody: so what the recovery left can be looked at.
        ago = int((time.time() - 60) * 1e6)
        self.store(id, f"status = 'PROCESSING', lock_token = 'morto', last_attempt = {ago}, completed_at = NULL")
        arguments = self.workers[0].arguments
        self.workers[0].arguments = (*arguments, "--broker", "amqp://127.0.0.1:1")
        self.workers[0].start()
        left = lambda: self.installation.rows(
            f"SELECT status, last_attempt, lock_token FROM mailings WHERE uuid = '{id}'")
        wait_until("the stale lock is given back", lambda: left() == [("PENDING", "", "")])
        self.assertEqual(self.installation.pending_messages(id), 1)
        self.workers[0].stop()
        self.workers[0].arguments = arguments
        self.start()
        self.mailings.wait_for(id, "COMPLETED")
        self.wait_until_settled(id)
        self.assert_each_once(addresses())

    # Cenários

    def test_cenario_1_upload_duplicado_por_retry_do_cliente(self):
        """Cenário 1: Upload Duplicado por Retry do Cliente"""
        content = csv_of(addresses())

        def upload(_):
            """Again, where the first one's transaction took so long that the others were told to come later."""
            answer = self.mailings.try_upload("monthly.csv", content, **mailing.message())
            return answer if answer.status != 503 else None

        def until_answered(number):
            """And whether it was told to come later, though its mailing may be there then."""
            answers = []
            wait_until("an answer", lambda: answers.append(upload(number)) or answers[-1])
            return answers

        each = in_threads(8, until_answered)
        answers = [answers[-1] for answers in each]
        created = [answer.status for answer in answers].count(201)
        self.assertIn(created, (0, 1) if any(len(answers) > 1 for answers in each) else (1,))
        self.assertLessEqual({answer.status for answer in answers}, {200, 201})
        self.assertEqual(len({answer.json["mailingId"] for answer in answers}), 1)
        self.assertEqual(self.rows_of("monthly.csv"), 1)
        self.mailings.wait_for(answers[0].json["mailingId"], "COMPLETED")
        late = self.mailings.try_upload("monthly.csv", content, **mailing.message())
        self.assertEqual((late.status, late.json["status"]), (200, "COMPLETED"), late)
        self.assert_each_once(addresses())

    def test_cenario_2_csv_com_emails_duplicados(self):
        """Cenário 2: CSV com Emails Duplicados"""
        id = self.mailings.upload("repetidos.csv", "user@example.com\nadmin@example.com\n  User@Example.COM \n"
                                                   "admin@example.com\n")
        done = self.mailings.wait_for(id, "COMPLETED")
        self.assertEqual(done["counts"]["entries"], 2)
        self.assert_each_once(["user@example.com", "admin@example.com"])

    def test_cenario_3_mensagem_duplicada(self):
        """Cenário 3: Mensagem Duplicada no RabbitMQ (here in the table; mailing_storm_test.py has the broker)"""
        id = self.mailings.upload("mensagem.csv", csv_of(addresses()))
        self.installation.copy_messages(id, 3)
        self.mailings.wait_for(id, "COMPLETED")
        self.installation.copy_messages(id, 3)
        self.wait_until_settled(id)
        self.assertEqual(self.mailings.get(id)["status"], "COMPLETED")
        self.assert_each_once(addresses())

    def test_cenario_4_crash_durante_processamento(self):
        """Cenário 4: Crash Durante Processamento"""
        if len(self.workers) > 1:
            self.workers[1].stop()  # so that the first one surely has it
        self.sink.hold(after=RECIPIENTS // 2)
        id = self.mailings.upload("crash.csv", csv_of(addresses()))
        self.sink.wait_held()
        self.workers[0].kill()
        self.sink.release()
        self.installation.let_locks_end()
        self.start()
        done = self.mailings.wait_for(id, "COMPLETED")
        uncertain = self.mailings.uncertain(id)
        # What it was handing over, and what it had handed over and not written down: one batch.
        self.assertTrue(1 <= len(uncertain) <= 8, uncertain)
        self.assertEqual(done["counts"]["unknown"], len(uncertain))
        got = self.sink.counts()
        self.assertEqual({to for to, count in got.items() if count > 1}, set())
        self.assertLessEqual(set(addresses()) - set(got), uncertain)
        self.assertEqual(done["counts"]["sent"] + done["counts"]["unknown"], RECIPIENTS)


class SqliteTest(Seed, support.TestCase):
    def setUp(self):
        self.open()


class PostgresTest(Seed, support.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.postgres = cls.enterClassContext(Postgres())

    def setUp(self):
        self.open(self.postgres.fresh())


if __name__ == "__main__":
    run_tests()
