/* Leased mode: the claim commits, the outside effect runs, the completion commits.
 *
 * One key, one lifetime, W visits (a client's call, its retries, the worker). A visit reads the record, decides, writes
 * with a condition and runs its handler in separate steps, so everything may happen in between. A visit that is never
 * scheduled again has crashed, one scheduled late was paused: both exist at every step without a line of their own.
 *
 * Variants (-D):
 *   on_abandoned  HOLD, RECONCILE or RERUN; RECONCILER: the operation has one although RECONCILE is not the policy
 *   authority     plain, or DEDUP: dedupes on the effect key, or TOKEN: refuses tokens older than the newest it saw;
 *                 FENCING_READ, with TOKEN: the enquiry shows its token too, before it is answered
 *   time          SETTLE: the first reconcile waits. Two assumptions, no mechanisms: PROMPT_OWNER, nobody sends after
 *                 its lease ended; PROMPT_NETWORK, what was sent lands or is lost within the settle wait
 *   broken        NO_FENCE STATUS_ONLY NO_EXECUTION IGNORE_HEARTBEAT DOUBT_EXPIRES ABANDONED_RECONCILE=mode_run
 *                 ON_EXCEPTION=untouched (released) ON_EXCEPTION=finish (guessed)
 */
#define W 3                              /* visits */
#define HEARTBEATS 2                     /* heartbeats in all */

mtype = { none, processing, succeeded, released, in_doubt };  /* status; released: failed and not final */
mtype = { mode_run, mode_reconcile, to_doubt, leave };        /* decisions; the first two are also a claim's mode */
mtype = { silent, ok, refused };                              /* what the sender heard of its request */
mtype = { happened, did_not_happen, still_unknown };          /* what the reconciler heard */

/* The record. The token is (epoch, exec). `lease` stands for processing_expires_at: every claim and heartbeat gives it
 * a value it never had. `over` and `settled` are the store's clock judging it. `result` is the token that completed. */
mtype status = none, mode = mode_run;
byte epoch, exec, lease, result;
bool over, settled;

/* The world outside: effects done, the newest token the authority saw, the number of requests in flight. */
byte effects, newest, flying;
byte flight[W + 1]; mtype heard[W + 1] = silent;     /* per visit: the token on its request, 0 = not sent; the reply */

/* Ghosts and bounds: no step of the engine depends on them. */
byte completions, beats, turn = 1;
bool doubt;                              /* an earlier run's fate is unknown: cleared by knowledge only */
bool blind, stolen;                      /* a handler was claimed while in doubt; a prolonged lease was taken */
bool late, readback;                     /* probes: a late owner settled in_doubt; a lost claim was found to be ours */

#ifdef NO_EXECUTION                      /* the epoch alone: two who read the same record compute the same one */
#define OURS        (epoch == my)
#else
#define OURS        (epoch == my && exec == me)
#endif
#if defined(NO_FENCE)                    /* an owner's write names the key alone */
#define MINE        true
#define MAY_FINISH  (status != none && !(status == succeeded && result == my))
#elif defined(STATUS_ONLY)               /* ... and the status */
#define MINE        true
#else                                    /* ... and the token */
#define MINE        OURS
#endif
#ifndef MAY_FINISH                       /* in_doubt too: a bystander's move there kept our token */
#define MAY_FINISH  (MINE && (status == processing || status == in_doubt))
#endif
#ifdef IGNORE_HEARTBEAT                  /* a bystander's write: token and status alone */
#define AS_READ     (status == seen && epoch == seen_epoch)
#else                                    /* ... and the processing_expires_at it read, expiry judged again by the store */
#define AS_READ     (status == seen && epoch == seen_epoch && lease == seen_lease && (seen != processing || over))
#endif
#ifndef ABANDONED_RECONCILE              /* whatever on_abandoned says: its fate was unknown before */
#define ABANDONED_RECONCILE mode_reconcile
#endif
#ifndef ON_EXCEPTION                     /* exception, timeout, 5xx: nobody knows whether the effect happened */
#define ON_EXCEPTION unsure
#endif
#ifdef SETTLE
#define SETTLED     settled
#else
#define SETTLED     true
#endif
#ifdef PROMPT_OWNER                      /* else: a paused handler looks at lost(), sleeps, and sends */
#define MAY_SEND    (MINE && status == processing && !over)
#else
#define MAY_SEND    true
#endif
#ifdef PROMPT_NETWORK                    /* else: the wait is over when it is over, whatever is still in flight */
#define ALL_LANDED  (flying == 0)
#else
#define ALL_LANDED  true
#endif
inline decide() {                        /* the engine's decide(); leave: Replay, InProgress or InDoubt */
  if
  :: status == none || status == released -> act = mode_run
  :: status == processing && over && mode == mode_reconcile -> act = ABANDONED_RECONCILE
  :: status == processing && over && mode == mode_run ->
#if defined(HOLD)
       act = to_doubt
#elif defined(RECONCILE)
       act = (SETTLED -> mode_reconcile : leave)
#elif defined(RERUN)
       if :: act = mode_run :: act = to_doubt fi     /* any takeover may be one too many (takeovers_max) */
#endif
#if defined(RECONCILE) || defined(RECONCILER)
  :: status == in_doubt && SETTLED -> act = mode_reconcile       /* without a reconciler it stays for an operator */
#endif
  :: else -> act = leave
  fi
}
inline apply() {                         /* the conditional write of insert_or_get and replace */
  stolen = stolen || (status == processing && (lease != seen_lease || !over));
  if
  :: act == to_doubt -> status = in_doubt; settled = false; doubt = true        /* keeps the token */
  :: else ->
       blind = blind || (act == mode_run && doubt);
       doubt = doubt || act == mode_reconcile;
       status = processing; mode = act; epoch = my; exec = me; lease++; over = false; settled = false
  fi
}

proctype Visit(byte me) {
  byte my, seen_epoch, seen_lease; mtype seen, act, said;

  atomic {                               /* insert_or_get finds what is there */
    turn == me -> turn++;                /* visits are alike, so they may as well start in order: fewer states */
    seen = status; seen_epoch = epoch; seen_lease = lease; my = epoch + 1; decide();
    if :: act == leave -> goto end :: else fi }

  atomic {                               /* the claim, or the move to in_doubt; its reply arrives or is lost */
    if :: AS_READ -> apply(); if :: act == to_doubt -> goto end :: act != to_doubt -> goto owner :: act != to_doubt fi
       :: else -> if :: goto end :: act != to_doubt fi
    fi }
  /* Reply lost. The read-back waits for the write above: found with our execution = ours. */
  atomic { if :: OURS -> readback = true :: else -> goto end fi }
owner:
  atomic { seen = none; seen_epoch = 0; seen_lease = 0;    /* no longer needed: fewer states */
    if :: act == mode_run -> goto handler :: else fi }
  atomic {                               /* a reconcile claim asks first */
#ifdef FENCING_READ
    newest = (my > newest -> my : newest);
#endif
    if :: effects > 0 -> said = happened :: effects == 0 -> said = did_not_happen :: said = still_unknown fi }
  atomic {
    if
    :: said == happened -> goto finish
    :: said == still_unknown -> goto unsure
    :: said == did_not_happen && MINE && status == processing -> mode = mode_run; doubt = false
    :: else -> goto end                  /* fenced */
    fi }
  if :: goto untouched :: skip fi;       /* a worker without the request's payload releases the key for a retry */
handler:
  atomic { if :: MAY_SEND -> flight[me] = my; flying++ :: goto untouched fi }
  if                                     /* a pause here: heartbeats, takeovers and landings all race with it */
  :: heard[me] == ok -> goto finish
  :: heard[me] == refused -> goto untouched          /* definitively refused: no effect */
  :: goto ON_EXCEPTION
  fi;
finish:                                  /* a lost reply: the same write again finds itself done and changes nothing */
  atomic { if :: MAY_FINISH -> late = late || status == in_doubt; result = my; completions++; doubt = false;
                               status = succeeded; if :: goto finish :: goto end fi
              :: else -> goto end fi }
unsure:
  atomic { if :: MINE && status == processing -> status = in_doubt; settled = false; doubt = true :: else fi; goto end }
untouched:
  atomic { if :: MAY_FINISH -> status = released; doubt = false :: else fi }
end:
  atomic { my = 0; seen = none; seen_epoch = 0; seen_lease = 0; act = leave; said = still_unknown; heard[me] = silent }
}

proctype Request(byte w) {               /* lands at the authority at any time, also after its sender died */
  atomic { flight[w] != 0 -> flying--;
    if
    :: skip                              /* lost on the way */
    :: heard[w] = refused
#if defined(DEDUP)
    :: effects = 1; heard[w] = ok
#elif defined(TOKEN)
    :: flight[w] >= newest -> newest = flight[w]; effects++; heard[w] = ok
#else
    :: effects++; heard[w] = ok
#endif
    fi }
}
proctype Time() {                        /* the store's clock, and the heartbeats of whoever holds the token */
  do
  :: atomic { status == processing && !over -> over = true }
  :: atomic { status == processing && beats < HEARTBEATS -> beats++; lease++; over = false; settled = false }
  :: atomic { !settled && ALL_LANDED && (status == in_doubt || (status == processing && over)) -> settled = true }
#ifdef DOUBT_EXPIRES
  :: atomic { status == in_doubt -> status = none }
#endif
  od
}
init { byte i = 1; atomic { run Time(); do :: i <= W -> run Request(i); run Visit(i); i++ :: else -> break od } }

#define CURRENT  (status != succeeded || result == epoch)
#define MEANT    (status != succeeded || effects >= 1)
ltl one_completion       { [] (completions <= 1) }
ltl result_is_current    { [] CURRENT }
ltl success_means_effect { [] MEANT }
ltl heartbeat_wins       { [] !stolen }
ltl never_blind          { [] !blind }
ltl effect_once          { [] (effects <= 1) }
ltl record               { [] (completions <= 1 && CURRENT && MEANT && !stolen && !blind) }   /* the first five */
ltl all                  { [] (completions <= 1 && CURRENT && MEANT && !stolen && !blind && effects <= 1) }
/* Probes, each must be violated, that is, reached: no design is safe because it does nothing. */
ltl probe_takeover       { [] !(status == succeeded && result > 1) }
ltl probe_late_owner     { [] !late }
ltl probe_readback       { [] !(readback && status == succeeded) }
