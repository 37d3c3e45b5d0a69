/* Atomic mode: the record and the business rows commit in one database transaction.
 *
 * One key, CALLERS callers (a request and its retries, on several server processes), each running its closure up to
 * ATTEMPTS times. Every run of a closure has its own execution id. The reply of a COMMIT may be lost; the transaction
 * then ends later, either way. A caller that is never scheduled again has crashed, one scheduled late was paused.
 *
 * Variants (-D):
 *   PLAIN_READBACK    after a lost reply a SELECT looks for the record; it does not wait for the transaction in flight
 *   ASSUME_COMMITTED  after a lost reply the caller answers with what its closure produced
 *   FORGET_DOUBT      the effect reported is the last attempt's; an earlier COMMIT without an answer is forgotten
 *   NO_UNIQUE         no unique constraint: the record is looked up, then inserted, and nobody waits
 */
#define CALLERS  3
#define ATTEMPTS 3
#define RUNS     10                      /* CALLERS * ATTEMPTS + 1: execution ids start at 1 */

mtype = { idle, open, sent, committed, aborted };
mtype tx[RUNS] = idle;                   /* the transaction of each execution, as the database knows it */
byte holder;                             /* execution whose uncommitted insert holds the unique key, 0 = nobody */
byte record;                             /* execution that the committed record carries, 0 = no record */
byte commits;                            /* transactions that committed with the business rows in them */

byte answer[CALLERS];                    /* execution whose result the caller gave out, 0 = none yet */
bool said_none[CALLERS];                 /* the caller said Unavailable{none}: "nothing happened" */
bool found_own;                          /* a probe: a re-run found the commit of its own earlier execution */

#define OWNER(e) (((e) - 1) / ATTEMPTS)  /* the caller that an execution belongs to */

#ifdef NO_UNIQUE
#define KEY_FREE true
#else
#define KEY_FREE (holder == 0)           /* INSERT ... ON CONFLICT waits for an uncommitted insert of the same key */
#endif

proctype Caller(byte me) {
  byte attempt, e;
  bool unknown;                          /* a COMMIT of ours got no answer and its end was not seen yet */

again:
  if
  :: attempt == ATTEMPTS -> goto give_up
  :: attempt < ATTEMPTS -> attempt++; e = me * ATTEMPTS + attempt
  fi;
  if                                     /* the claim, first statement of the transaction */
  :: atomic { KEY_FREE && record != 0 ->
       found_own = found_own || (OWNER(record) == me);
       answer[me] = record; goto end }   /* our earlier execution, or another's: either way the one commit's answer */
  :: atomic { KEY_FREE && record == 0 ->
       holder = e; tx[e] = open;
#ifndef NO_UNIQUE
       unknown = false                   /* we hold the key and it has no record: the earlier transaction is gone */
#endif
     }
  :: goto give_up                        /* lock_timeout, or no connection */
  fi;
  /* The handler's SQL runs here. */
  if
  :: atomic { tx[e] == open -> tx[e] = sent }        /* COMMIT */
  :: tx[e] == aborted -> goto again      /* a failure before COMMIT: nothing of it happened */
  :: goto give_up                        /* interrupted: over the run limit */
  fi;
  if
  :: atomic { tx[e] == committed -> answer[me] = e; goto end }
  :: tx[e] == aborted -> goto again      /* the database said so */
  :: skip                                /* the reply is lost */
  fi;
#if defined(PLAIN_READBACK)
  atomic { if :: record != 0 -> answer[me] = record :: else -> said_none[me] = true fi; goto end };
#elif defined(ASSUME_COMMITTED)
  atomic { answer[me] = e; goto end };
#endif
#ifndef FORGET_DOUBT
  unknown = true;
#endif
  goto again;                            /* the closure again in a new transaction, which waits for the old one */

give_up:
  atomic {                               /* an open transaction of ours is never sent: the database will abort it */
    if :: unknown -> skip :: else -> said_none[me] = true fi }
end:
  atomic { attempt = 0; e = 0; unknown = false }     /* fewer states */
}

/* The database's side of one execution. An open transaction can only abort, at any time: its caller died, a deadlock, a
 * full disk. A sent COMMIT takes effect or not, at any time, and a lost connection tells nobody which. */
proctype Transaction(byte e) {
  atomic {
    if
    :: tx[e] == open || tx[e] == sent -> tx[e] = aborted
    :: tx[e] == sent -> record = e; commits++; tx[e] = committed
    fi;
    if :: holder == e -> holder = 0 :: else fi }
}

init { byte i;
  atomic {
    do :: i < CALLERS -> run Caller(i); i++ :: else -> break od;
    i = 1; do :: i < RUNS -> run Transaction(i); i++ :: else -> break od } }

#define ONE      (commits <= 1)
#define ITS(c)   (answer[c] == 0 || answer[c] == record)
#define TRUE_NO  (record == 0 || !said_none[OWNER(record)])
ltl one_commit     { [] ONE }
ltl answer_is_its  { [] (ITS(0) && ITS(1) && ITS(2)) }       /* every answer is that commit's */
ltl none_is_none   { [] TRUE_NO }                            /* who said "nothing happened" never has it happen later */
ltl all            { [] (ONE && ITS(0) && ITS(1) && ITS(2) && TRUE_NO) }
/* Probes, each must be violated, that is, reached. */
ltl probe_found_own { [] !found_own }
ltl probe_answers   { [] !(answer[0] != 0 && answer[1] != 0 && answer[2] != 0) }
