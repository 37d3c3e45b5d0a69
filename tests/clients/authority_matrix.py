"""Faults of an authority at every call, and kill -9 at every point that a document passes, whatever its kind.

A document (`note`) is anything with what sefaz.Note has: `documento` and `range_id`, as the authority calls it,
`id_autoridade`, as the program does, `body`, `sha256` of what the authority gets, `refusals` and `but`. Authorities may
not be asked too often, so clients here wait for the worker. UMAVEZ_TORTURE=1 kills at every arrival at every point.
"""

import collections
import itertools
import os
import queue
import shutil
import threading
import time

import support
from fiscal import ISSUER, OTHER_ISSUER
from sefaz import OPEN, PATIENT, FiscalInstallation, Notes, Simulator
from support import wait_until

TORTURE = os.environ.get("UMAVEZ_TORTURE", "") not in ("", "0")
ATTEMPTS = 2
MANY = 2            # a call that fails so often leaves a doubt, and questions enough to end it
QUESTIONS = 4       # that fail one after another
CLIENTS = 24
SECONDS = 3 * support.WAIT_SECONDS  # many notes and processes at a time
SIDE_BY_SIDE = 12   # installations that are killed at a time: what they do is to wait
# The same bytes would be refused for ever, or are refused by what is there now.
ONCE = ("refuse", "too-old", "late", "receipt", "receipt-lost", "cancel-behind", "other-key", "odd-shapes")


def once_and_often(call, faults):
    return [[(call, fault, times)] for fault in faults for times in (1, MANY) if times == 1 or fault not in ONCE]


class Judged(support.TestCase):
    """Compares with the ledger."""

    @staticmethod
    def new_simulator():
        return Simulator()

    @staticmethod
    def new_installation(simulator, **more):
        return FiscalInstallation(simulator, **{"tentativas": ATTEMPTS, **more})

    def judge(self, note, row, case=""):
        """`row`: what Notes.row gives."""
        ledger = self.simulator.ledger
        account = ledger.of(note)
        told = f"{case}: {note}: ours {row}, theirs {account}"
        self.assertLessEqual(len(account.authorised), 1, told)
        self.assertEqual(account.emitted_after_end, 0, told)
        self.assertLessEqual(len(account.cancellations), 1, told)
        self.assertFalse(account.authorised and account.voided, told)
        self.assertLessEqual(len(account.voided), 1, told)
        self.assertNotIn(row[1] if row else None, OPEN, told)
        if account.estado is None:
            self.assertIn(row[1] if row else None, (None, "RESERVADO", "REJEITADO"), told)
            return account
        self.assertEqual(row[1], account.estado, told)
        if account.authorised:
            self.assertTrue(note.is_chave(row[2], account.chave), told)
        return account


class Desk:
    """An installation with one server."""

    def __init__(self, installation):
        self.installation = installation
        self.notes = Notes(installation.node("serve").start())


def is_slow(faults):
    """Whether a call that changes something is to last longer than it may."""
    return any(fault in ("slow", "slow-before") and call in ("emitir", "cancelar", "inutilizar")
               for call, fault, _ in faults)


class FaultBench(Judged):
    """Faults alone: many notes at a time on one server, each with its own faults. Where an answer is to come too late
    another server does not wait for it. The others wait: on a machine that is slow, a refusal that nobody waits for
    would be no refusal."""

    @classmethod
    def setUpClass(cls):
        cls.simulator = cls.enterClassContext(cls.new_simulator())
        cls.patient, cls.hasty = (Desk(cls.enterClassContext(cls.new_installation(cls.simulator, **more)))
                                  for more in (PATIENT, {"lease": PATIENT["lease"]}))
        cls.at = threading.local()  # the desk of the case that a thread runs
        cls.numbers = itertools.count(1)

    @property
    def notes(self):
        return self.at.desk.notes

    @property
    def installation(self):
        return self.at.desk.installation

    @classmethod
    def tearDownClass(cls):
        cls.simulator.ledger.check()

    def note(self, tipo, issuer):
        """A new one, with a number that nobody had."""
        raise NotImplementedError

    def row(self, note):
        return self.notes.row(self.installation, note)

    def fault(self, note, faults):
        for call, fault, times in faults:
            documento = note.range_id if call == "inutilizar" else note.documento
            self.simulator.fault(call, fault, times, documento)

    def settled(self, note, case):
        """Once the worker has nothing to do with it any more. Where an authority wants to be left alone for long (108,
        109), a person asks."""
        asked = time.monotonic()

        def found():
            nonlocal asked
            row = self.row(note)
            if row is None or row[1] not in OPEN:
                return row or (None, None, "", "")
            if time.monotonic() - asked > 1:
                self.notes.reconcile(row[0])
                asked = time.monotonic()
            return None

        def told():
            id = self.row(note)[0]
            return f"it is {self.notes.get(id)}, {self.notes.attempts(id)}"
        return wait_until(f"{case}: {note} is settled", found, SECONDS, told, 0.1)

    def ask_again(self, note, question, wanted, case):
        """As a client that waits: for the worker where nobody knows, and a little where nothing was done."""
        seen = []

        def arrived():
            seen[:] = [question()]
            if seen[0].status in wanted:
                return seen[0]
            self.assertIn(seen[0].status, (202, 409, 503), f"{case}: {seen[0]}")
            if seen[0].status == 409:
                self.assertEqual(seen[0].problem, "idempotency-in-progress", f"{case}: {seen[0]}")
            self.settled(note, case)
            return None
        return wait_until(case, arrived, SECONDS, lambda: f"the last answer was {seen}", 0.1)

    def emit(self, note, case, wanted=(200, 201)):
        return self.ask_again(note, lambda: self.notes.post(note), wanted, f"{case}: emit {note}")

    def cancel(self, note, id, case, wanted=(200,)):
        return self.ask_again(note, lambda: self.notes.cancel(id), wanted, f"{case}: cancel {note}")

    def void(self, note, case, wanted=(200,)):
        return self.ask_again(note, lambda: self.notes.void(note), wanted, f"{case}: void {note}")

    def check_replay(self, note, account, case):
        sent = account.count("emitir")
        again = self.notes.post(note)
        if account.is_cancelled or account.voided:
            self.assertEqual((again.status, again.problem), (409, "estado-nao-permite"), f"{case}: {again}")
        else:
            self.assertEqual((again.status, again.is_replay), (200, True), f"{case}: {again}")
            self.assertEqual(again.json["origem"], "cache", case)
            self.assertTrue(note.is_chave(again.json["documento"]["chave_acesso"], account.chave), case)
        self.assertEqual(self.simulator.ledger.of(note).count("emitir"), sent, case)

    def run_emission(self, faults, tipo, issuer, case):
        """`faults`: what goes wrong, (call, fault, times)."""
        note = self.note(tipo, issuer)
        self.fault(note, faults)
        words = {fault for call, fault, _ in faults if call == "emitir"}
        if words & {"refuse", "too-old"}:
            code = note.refusals["refuse" if "refuse" in words else "too-old"]
            first = self.emit(note, case, (422,))
            self.assertEqual(first.problem, "documento-rejeitado", f"{case}: {first}")
            self.assertEqual(first.json["documento"]["estado"], "REJEITADO", case)
            self.assertEqual(first.json["mensagens"][0]["codigo"], code, case)
            self.assertEqual(self.simulator.ledger.of(note).authorised, [], case)
            note = note.corrected()
        if "other-key" in words:
            return self.check_other_key(note, case)
        wanted = (200, 201, 409) if "cancel-behind" in words else (200, 201)
        answer = self.ask_again(note, lambda: self.notes.post(note), wanted, f"{case}: emit {note}")
        row = self.settled(note, case)
        if "cancel-behind" in words and row[1] == "AUTORIZADO":
            # Nothing tells us but a question.
            found = self.notes.reconcile(row[0])
            self.assertEqual((found.status, found.json["origem"]), (200, "conciliacao"), f"{case}: {found}")
            row = self.row(note)
        account = self.judge(note, row, case)
        self.assertEqual(len(account.authorised), 1, f"{case}: {account}")
        self.assertEqual(account.authorised[0]["sha256"], note.sha256, case)
        if answer.status != 409:
            self.assertEqual(answer.json["documento"]["id"], int(row[0]), case)
            if "protocolo" in account.authorised[0]:
                self.assertEqual(answer.json["documento"]["protocolo"], account.authorised[0]["protocolo"], case)
        self.check_replay(note, account, case)
        return None

    def check_other_key(self, note, case):
        """Somebody else has the number: a person has to look, and nothing is sent any more."""
        answer = self.notes.post(note)
        self.assertEqual((answer.status, answer.json["documento"]["estado"]), (202, "INDETERMINADO"), case)
        self.assertIn("another document", answer.json["documento"]["alerta"], f"{case}: {answer}")
        again = self.notes.post(note)
        self.assertEqual(again.json["documento"]["estado"], "INDETERMINADO", f"{case}: {again}")
        account = self.simulator.ledger.of(note)
        self.assertEqual((len(account.authorised), account.count("emitir")), (1, 1), f"{case}: {account}")
        self.assertNotEqual(account.chave, note.chave)

    def run_cancellation(self, faults, tipo, issuer, case):
        note = self.note(tipo, issuer)
        id = self.emit(note, case).json["documento"]["id"]
        self.fault(note, faults)
        words = {fault for call, fault, _ in faults if call == "cancelar"}
        if words & {"refuse", "too-old"}:
            refused = self.cancel(note, id, case, (422,))
            self.assertEqual(refused.json["mensagens"][0]["codigo"], note.refusals["cancelar"], f"{case}: {refused}")
            self.assertEqual(self.settled(note, case)[1], "AUTORIZADO", case)
        answer = self.cancel(note, id, case)
        self.assertEqual(answer.json["documento"]["estado"], "CANCELADO", f"{case}: {answer}")
        account = self.judge(note, self.settled(note, case), case)
        self.assertTrue(account.is_cancelled, case)
        again = self.notes.cancel(id)
        self.assertEqual((again.status, again.json["origem"]), (200, "cache"), f"{case}: {again}")
        self.check_replay(note, account, case)

    def run_voiding(self, faults, tipo, issuer, case):
        note = self.note(tipo, issuer)
        self.fault(note, [("emitir", "refuse", ATTEMPTS), *faults])
        self.emit(note, case, (422,))
        if "refuse" in {fault for _, fault, _ in faults}:
            refused = self.void(note, case, (422,))
            self.assertEqual(refused.problem, "inutilizacao-recusada", f"{case}: {refused}")
            self.assertEqual(self.settled(note, case)[1], "REJEITADO", case)
        answer = self.void(note, case)
        self.assertEqual(answer.json["documentos"][0]["estado"], "INUTILIZADO", f"{case}: {answer}")
        account = self.judge(note, self.settled(note, case), case)
        self.assertEqual(len(account.voided), 1, f"{case}: {account}")
        self.assertEqual(answer.json["documentos"][0]["protocolo"], account.voided[0]["protocolo"], case)
        sent = len(account.voidings)
        again = self.notes.void(note)
        self.assertEqual((again.status, again.json["origem"]), (200, "cache"), f"{case}: {again}")
        self.check_replay(note, account, case)
        self.assertEqual(len(self.simulator.ledger.of(note).voidings), sent, case)

    def run_all(self, run, all_faults, turns=False):
        """Every case with every type; or, where they take turns, with one of them."""
        waiting, tipos = queue.SimpleQueue(), itertools.cycle(self.TIPOS)
        # What lasts long is begun first.
        for faults in sorted(all_faults, key=lambda faults: "slow" not in str(faults)):
            for tipo in (next(tipos),) if turns and not TORTURE else self.TIPOS:
                waiting.put((tipo, faults, (ISSUER, OTHER_ISSUER)[waiting.qsize() % 3 == 0]))

        def run_one(case):
            tipo, faults, issuer = case
            self.at.desk = self.hasty if is_slow(faults) else self.patient
            run(faults, tipo, issuer, f"{run.__name__} {tipo} {faults}")

        support.run_cases([(waiting, run_one)] * CLIENTS)


class Scenario:
    """What a note goes through before and while its process is killed."""

    def __init__(self, act, faults=()):
        self.act, self.faults = act, faults

    @property
    def name(self):
        return f"{self.act} {list(self.faults)}"

    @property
    def end(self):
        return {"emission": "AUTORIZADO", "cancellation": "CANCELADO", "voiding": "INUTILIZADO"}[self.act]


# Those that a note certainly passes; others are killed at too, where it passes them.
POINTS = {"claim_before_write", "claim_after_write", "handler_before_effect", "handler_after_effect",
          "lane_before_commit", "lane_after_commit", "doubt_before_write", "reconcile_before_ask",
          "reconcile_after_answer"}
AROUND_THE_CALL = ("handler_before_effect", "handler_after_effect")
# How often a process dies at one point in one act; around the call itself in each scenario.
DEATHS = 1000 if TORTURE else 1
# So many more notes a process gets to die of, where others died at that point.
FILLERS = 8


class Life:
    """One note in an installation of its own, made of a copy of the template's database."""

    def __init__(self, test, scenario, note, kill_at=None):
        self.test, self.scenario, self.note, self.kill_at = test, scenario, note, kill_at
        self.installation = test.new_installation(test.simulator)
        test.addCleanup(self.installation.__exit__, RuntimeError)
        shutil.copy(test.template, self.installation.folder)
        self.node = self.installation.node("serve")
        self.notes = Notes(self.node)
        self.asking = self.was = None
        self.case = f"{scenario.name} killed at {kill_at}"
        for call, fault, times in scenario.faults:
            documento = note.range_id if call == "inutilizar" else note.documento
            test.simulator.fault(call, fault, times, documento)

    def row(self):
        return self.notes.row(self.installation, self.note)

    def ask(self):
        """What the client wants, once."""
        if self.scenario.act == "emission":
            return self.notes.post(self.note)
        if self.scenario.act == "voiding":
            return self.notes.void(self.note)
        return self.notes.cancel(self.row()[0])

    def ask_aside(self):
        """As ask(), by a thread: the server may die meanwhile, or be long about it."""
        if self.asking:
            self.asking.join()
        self.asking = support.Aside(f"{self.case}: the client is answered", self.ask)

    def is_over(self):
        row = self.row()
        return row is not None and row[1] == self.scenario.end

    def wait_over(self):
        """The worker finds out what became of it; where nothing did, the client asks again."""
        def over():
            row = self.row()
            if row is None or row[1] not in (*OPEN, self.scenario.end):
                self.ask()
            return self.is_over()
        wait_until(f"{self.case}: it is over", over, SECONDS, self.told, 0.1)

    def told(self):
        row = self.row()
        return f"{self.note}, which was {self.was}, is {row}: {self.notes.attempts(row[0]) if row else ''}"

    def begin_watched(self):
        self.node.start(watched=True)
        self.before = {point: self.node.arrivals.count(point) for point in self.node.arrivals.points}
        self.ask_aside()

    def watched(self):
        """How often each point was passed, before and until the end: {point: (before, after)}."""
        self.asking.join()
        self.wait_over()
        arrivals = self.node.arrivals
        passed = {point: (self.before[point], arrivals.count(point)) for point in arrivals.points}
        self.node.stop()
        return {point: counts for point, counts in passed.items() if counts[1] > counts[0]}

    def begin_killed(self):
        self.node.start(kill_at=self.kill_at)
        if self.node.process.poll() is None:
            self.ask_aside()

    def wait_killed(self):
        """Who asks first, the worker or the client, is not the same in every life: where the note alone does not lead
        there, others do, and where they do not either this life goes on."""
        fillers = itertools.cycle(("answer-lost", "drop-request"))
        point, posted = self.kill_at.split(":")[0], 0

        def ended():
            """True: it died. "lives": nothing that was tried leads it there."""
            nonlocal posted
            if self.node.process.poll() is not None:
                return True
            if posted >= FILLERS and (point not in POINTS or self.test.killed[point]):
                return "lives"
            if self.asking is None or not self.asking.is_running:
                row = self.row()
                if self.is_over():
                    filler = self.test.new_note()
                    self.test.simulator.fault("emitir", next(fillers), 1, filler.documento)
                    self.notes.post(filler)
                    posted += 1
                elif row is None or row[1] not in OPEN:
                    self.ask_aside()
            return False
        if wait_until(f"{self.case}: {self.note} kills its process", ended, SECONDS, self.told) is True:
            self.node.wait_killed()
            self.test.killed[point] += 1
        else:
            self.node.kill()
        if self.asking:
            self.asking.join()

    def recover(self):
        """What is under way comes to an end without the client; then the client asks again."""
        row = self.row()
        self.was = row[1] if row else None
        self.node.start()

    def check(self):
        test = self.test

        def settled():
            row = self.row()
            return row is None or row[1] not in OPEN
        wait_until(f"{self.case}: it is settled", settled, SECONDS, self.told)
        self.notes.ask_again_if_late(self.row, lambda: test.simulator.ledger.of(self.note))
        test.judge(self.note, self.row(), self.case)
        self.wait_over()
        account = test.judge(self.note, self.row(), self.case)
        emitted = {line["sha256"] for line in account.requests if line["call"] == "emitir"}
        test.assertEqual(emitted, {self.note.sha256}, self.case)
        again = self.ask()
        test.assertEqual((again.status, again.json["origem"]), (200, "cache"), f"{self.case}: {again}")
        if self.scenario.act != "emission":
            posted = self.notes.post(self.note)
            test.assertEqual((posted.status, posted.problem), (409, "estado-nao-permite"), f"{self.case}: {posted}")
        self.node.stop()


class KillBench(Judged):
    """kill -9 where it hurts. Every life has a database of its own, and all have one authority."""

    def setUp(self):
        self.simulator = self.enterContext(self.new_simulator())
        self.numbers = itertools.count(1)
        self.killed = collections.Counter()
        self.ready, self.template = {}, None

    def new_note(self):
        raise NotImplementedError

    def make_template(self, acts, count):
        """A database with notes to be cancelled, and with refused ones whose numbers are to be voided."""
        with self.new_installation(self.simulator, **PATIENT) as installation:
            notes = Notes(installation.node("serve").start())
            made = {act: [self.new_note() for _ in range(count)] for act in ("cancellation", "voiding") if act in acts}
            for note in made.get("voiding", ()):
                self.simulator.fault("emitir", "refuse", ATTEMPTS, note.documento)

            def emit(each):
                for act, expected in (("cancellation", 201), ("voiding", 422)):
                    for note in made.get(act, [])[each::8]:
                        answer = notes.post(note)
                        assert answer.status == expected, answer
            support.in_threads(8, emit)
            installation.nodes[0].stop()
            self.template = os.path.join(self.simulator.folder, "umavez.db")
            shutil.copy(os.path.join(installation.folder, "umavez.db"), self.template)
        self.ready = made

    def life(self, scenario, kill_at=None):
        note = self.new_note() if scenario.act == "emission" else self.ready[scenario.act].pop()
        return Life(self, scenario, note, kill_at)

    def points_of(self, life):
        """Where to kill: (scenario, "point:arrival")."""
        chosen = []
        for point, (before, after) in life.watched().items():
            # These come with time.
            if point.startswith(("heartbeat_", "sweep_")):
                continue
            most = after - before if TORTURE or (point.startswith("lane_") and not life.scenario.faults) else 1
            chosen += [(life.scenario, f"{point}:{before + each}") for each in range(1, most + 1)]
        return chosen

    def kill_everywhere(self, scenarios):
        self.make_template({each.act for each in scenarios}, 200 if TORTURE else 30)
        watched = [self.life(each) for each in scenarios]
        for life in watched:
            life.begin_watched()
        cases, deaths = [], collections.Counter()
        for scenario, kill_at in itertools.chain(*(self.points_of(life) for life in watched)):
            place = (kill_at.split(":")[0], scenario.act)
            deaths[place] += 1
            if deaths[place] <= DEATHS or place[0] in AROUND_THE_CALL:
                cases.append((scenario, kill_at))
        for begin in range(0, len(cases), SIDE_BY_SIDE):
            lives = [self.life(*case) for case in cases[begin:begin + SIDE_BY_SIDE]]
            # The main thread starts processes; what lives wait for, all wait for at once.
            for start, wait in ((Life.begin_killed, Life.wait_killed), (Life.recover, Life.check)):
                for life in lives:
                    start(life)
                support.in_threads(len(lives), lambda each: wait(lives[each]))
        print(f"{sum(self.killed.values())} deaths of {len(cases)}: {dict(self.killed)}")
        self.simulator.ledger.check()
        self.assertLessEqual(POINTS, set(self.killed))
