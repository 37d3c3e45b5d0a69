"""What was sent, written down by the sender: the independent account that a database is compared with."""

import random

import providers
from support import until_taken

INVOICE_CENTS = 10000
MONTHS_PER_SUBSCRIPTION = 120
DUPLICATES_SHARE = 0.3
PAYMENTS_PER_INVOICE = 4
OPEN_SHARE = 0.2  # of the invoices, whose payments leave something to pay


def reais(cents):
    return f"{cents // 100}.{cents % 100:02}"


class Office:
    """Subscriptions and their invoices, made through the API in one thread."""

    def __init__(self, server):
        self.server = server
        self.subscription = None
        self.invoices = []

    def _create(self, path, key, body):
        answer = until_taken(key, lambda: self.server.ask("POST", f"/api/v1/{path}", body, key))
        assert answer.status == 201 or answer.is_replay, answer
        return answer.json["id"]

    def add_invoice(self):
        month = len(self.invoices) % MONTHS_PER_SUBSCRIPTION
        if month == 0:
            self.subscription = self._create("assinaturas", f"assinatura-{len(self.invoices)}", {
                "cliente": "joao@example.com", "plano": "ouro", "valor": INVOICE_CENTS // 100, "ciclo": "mensal"})
        self.invoices.append(self._create("faturas", f"fatura-{len(self.invoices)}", {
            "assinatura_id": self.subscription, "competencia": f"{2020 + month // 12}-{month % 12 + 1:02}"}))
        return self.invoices[-1]


class Payment:
    def __init__(self, number, invoice, cents, provider):
        self.id = f"{'pi' if provider == 'stripe' else 'pag'}_{number}"
        self.invoice = invoice
        self.cents = cents
        self.provider = provider

    def event(self, again=0):
        """Its event; `again` makes another one that reports the same payment."""
        id = f"evt_{self.id}_{again}"
        if self.provider == "stripe":
            make = providers.charge_succeeded if again else providers.intent_succeeded
            return make(id, self.id, self.invoice, self.cents)
        kind = "payment.succeeded" if again else "pagamento.confirmado"
        return providers.payment_confirmed(id, self.id, self.invoice, self.cents, kind)


class Delivery:
    def __init__(self, event, is_early=False, has_fixed_time=False):
        self.event = event
        self.is_early = is_early  # its invoice is made later
        self.has_fixed_time = has_fixed_time  # a copy of the same bytes with the same signature


def split(cents, parts, draw):
    cuts = sorted(draw.sample(range(1, cents), parts - 1))
    return [end - begin for begin, end in zip([0, *cuts], [*cuts, cents])]


def redelivered(event):
    """As Stripe does it: the count of addresses that still wait has fallen."""
    return providers.Event(event.provider, event.id,
                           event.body.replace('"pending_webhooks":1', '"pending_webhooks":0'))


class Ledger:
    """`count` deliveries, of which 30 % say nothing new, in any order, for the invoices given and for those to come."""

    def __init__(self, count, invoices, late_invoices, seed):
        self.draw = random.Random(seed)
        self.payments = {}
        self.deliveries = []
        self._late = set(late_invoices)
        wanted = round(count * (1 - DUPLICATES_SHARE))
        every = [*invoices, *late_invoices]
        self.draw.shuffle(every)
        for position, invoice in enumerate(every):
            left = wanted - len(self.payments)
            of_each = min(left, -(-left // (len(every) - position)))
            self._pay(invoice, of_each)
        self._repeat(count - wanted)
        self.draw.shuffle(self.deliveries)
        # What comes too early comes first.
        self.deliveries.sort(key=lambda delivery: not delivery.is_early)

    def _pay(self, invoice, parts):
        amounts = split(INVOICE_CENTS, parts, self.draw)
        if self.draw.random() < OPEN_SHARE and parts > 1:
            amounts[0] -= self.draw.randrange(amounts[0])
            amounts[-1] = max(1, amounts[-1] - 1)
        for cents in amounts:
            payment = Payment(len(self.payments), invoice, cents, self.draw.choice(("stripe", "loja")))
            self.payments[payment.id] = payment
            self._add(payment.event(), payment)

    def _add(self, event, payment, **more):
        self.deliveries.append(Delivery(event, is_early=payment.invoice in self._late, **more))

    def _repeat(self, count):
        every = list(self.payments.values())
        for number in range(count):
            payment = self.draw.choice(every)
            if number % 3 == 0:
                self._add(payment.event(), payment, has_fixed_time=True)
            elif number % 3 == 1:
                self._add(redelivered(payment.event()), payment)
            else:
                self._add(payment.event(again=1), payment)

    @property
    def event_ids(self):
        return {(delivery.event.provider, delivery.event.id) for delivery in self.deliveries}

    def payment_rows(self):
        return {(payment.provider, payment.id, str(payment.invoice), reais(payment.cents))
                for payment in self.payments.values()}

    def invoice_rows(self):
        paid = {}
        for payment in self.payments.values():
            paid[payment.invoice] = paid.get(payment.invoice, 0) + payment.cents
        return {(str(invoice), reais(cents), "paga" if cents == INVOICE_CENTS else "aberta")
                for invoice, cents in paid.items()}

    def granted_rows(self):
        return {(invoice,) for invoice, _, estado in self.invoice_rows() if estado == "paga"}
