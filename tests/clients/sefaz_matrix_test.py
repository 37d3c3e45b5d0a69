#!/usr/bin/env python3
"""NF-e and NFC-e: every fault of SEFAZ at every call, and kill -9 of our process at every point that a note passes.

Whatever happened, in the end the authority's ledger shows no natural key authorised twice, no cancelled note sent again
and no voided number authorised, our table says what the ledger says, and a client that asks again is told the same.
"""

import support
from authority_matrix import QUESTIONS, FaultBench, KillBench, Scenario, once_and_often
from sefaz import Note

FAULTS = ("drop-request", "reset", "slow-before", "error-500", "error-503", "bad-gateway", "maintenance", "no-forecast",
          "answer-lost", "slow", "unreadable", "truncated", "odd-shapes")
FAULTS_OF_CHANGES = FAULTS + ("refuse", "error-after", "duplicate")
FAULTS_OF_EMISSIONS = FAULTS_OF_CHANGES + ("too-old", "late", "receipt", "receipt-lost", "no-protocol", "inner-103",
                                           "cancel-behind", "other-key")
FAULTS_OF_CANCELLATIONS = FAULTS_OF_CHANGES + ("too-old", "late", "event-duplicate")
FAULTS_OF_QUESTIONS = FAULTS + ("forbidden", "lost-route")
SCENARIOS = (
    Scenario("emission"),
    Scenario("emission", [("emitir", "answer-lost", 1)]),
    Scenario("emission", [("emitir", "drop-request", 1)]),
    Scenario("emission", [("emitir", "receipt", 1)]),
    Scenario("cancellation"),
    Scenario("cancellation", [("cancelar", "answer-lost", 1)]),
    Scenario("voiding"),
    Scenario("voiding", [("inutilizar", "answer-lost", 1)]),
)


class FaultTest(FaultBench):
    TIPOS = ("nfe", "nfce")

    def note(self, tipo, issuer):
        return Note(self.simulator, tipo, next(self.numbers), issuer=issuer)

    def test_emission(self):
        self.run_all(self.run_emission, once_and_often("emitir", FAULTS_OF_EMISSIONS))

    def test_question_after_a_doubt(self):
        """The answer to the emission is lost, with or without the note, and then the question fails too."""
        self.run_all(self.run_emission, [
            [("emitir", first, 1), ("consultar", fault, QUESTIONS)]
            for first in ("answer-lost", "drop-request") for fault in FAULTS_OF_QUESTIONS + ("too-old",)],
            turns=True)

    def test_receipt(self):
        """An authority that does not work (108, 109) is asked about a receipt a minute or ten later, and not here."""
        faults = [fault for fault in FAULTS_OF_QUESTIONS if fault not in ("maintenance", "no-forecast")]
        self.run_all(self.run_emission, [
            [("emitir", "receipt", 1), ("recibo", fault, times)] for fault in faults for times in (1, 3)], turns=True)

    def test_cancellation(self):
        self.run_all(self.run_cancellation, once_and_often("cancelar", FAULTS_OF_CANCELLATIONS))

    def test_question_after_a_cancellation(self):
        self.run_all(self.run_cancellation, [
            [("cancelar", first, 1), ("consultar", fault, QUESTIONS)]
            for first in ("answer-lost", "drop-request") for fault in FAULTS_OF_QUESTIONS + ("too-old",)],
            turns=True)

    def test_voiding(self):
        self.run_all(self.run_voiding, once_and_often("inutilizar", FAULTS_OF_CHANGES))


class KillTest(KillBench):
    def new_note(self):
        numero = next(self.numbers)
        return Note(self.simulator, ("nfe", "nfce")[numero % 2], numero)

    def test_every_point(self):
        self.kill_everywhere(SCENARIOS)


if __name__ == "__main__":
    support.run_tests()
