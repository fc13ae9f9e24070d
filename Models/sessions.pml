// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// A model of one account's session that several processes share: the refresh mark, the lock or lease, the rotation of
// refresh tokens, and processes that are killed. `make model` checks it. Docs/Sessions.md explains the results.
//
// The phases are those of OAuthSession.renew and OAuthSession.send. Refresh tokens and access tokens have the same
// numbers, because each refresh replaces both. One waiter per process stands for all callers, which share one refresh.
// The number of faults is limited, so they stop at some point in every history.
//
// With REPLAY, the model is restricted to a trace of the simulator (see replay.pml), and the faults are not limited.

#ifndef PROCESSES
#define PROCESSES 2
#endif
#ifndef EVENTS
#define EVENTS 3         // Events of all of the following kinds in one history, except expired access tokens.
#endif
#ifndef KILLS
#define KILLS 2          // Processes that are killed. They start again with the stored session.
#endif
#ifndef LOSSES
#define LOSSES 1         // Requests and responses that are lost.
#endif
#ifndef LAPSES
#define LAPSES 1         // Leases that expire although their owner is alive, because it is stopped or cut off.
#endif
#ifndef FAILURES
#define FAILURES 1       // Saves that fail, for example because the disk is full.
#endif
#ifndef EXPIRIES
#define EXPIRIES 1       // Times at which all access tokens expire, in addition to the beginning.
#endif
#ifndef SIGN_OUTS
#define SIGN_OUTS 1      // Calls of signOut().
#endif
#ifndef REVOCATIONS
#define REVOCATIONS 1    // Times at which the user revokes access at the provider.
#endif

mtype = {
    idle,       // no operation
    locking,    // SessionStore.update waits for the account's lock
    locked,     // renew: the account is locked, and the newest record has not been loaded yet
    loaded,     // renew: the record has been loaded, and its access token cannot be used
    marked,     // send: the refresh mark is saved, and nothing has been sent
    sent,       // send: the request is on its way to the provider
    processed,  // send: the provider has acted, and the response is on its way
    answered,   // accept or afterRefusal: the response has arrived, and nothing has been saved
    saved,      // pass: the new record is saved, and the token has not been published
    releasing,  // the lock is about to be released
    removing,   // signOut: waits for the lock
    removable,  // signOut: the account is locked
    killed,     // the process does not run
    // The reasons for the end of a session:
    ongoing, refused, interrupted
}

// The names of the assertions. They are never true; they only name the assertion in the checker's output.
bit one_refresh_on_the_wire;
bit replaced_token_is_never_sent;
bit usable_token_is_never_lost;
bit usable_record_is_never_abandoned;
bit interruption_is_reported;
bit signed_out_stays_signed_out;
bit published_token_was_saved;
bit older_record_never_replaces_newer;

// The store.
bit exists = 1;             // whether there is a record
mtype reason = ongoing;      // why the session ended, or ongoing if the record has tokens
byte token = 1;             // the refresh token in the record
byte generation = 1;        // SessionRecord.generation
byte mark;                  // SessionRecord.refreshMark: the process that has marked a refresh, plus one, or 0
byte owner;                 // Lease: the process that holds the lock, plus one, or 0
bit expired;                // Lease: whether it has expired although its owner is alive
bit ownerIsDead;            // Lease: whether its owner was killed
bit hasLeases;              // whether the store has leases (PostgreSQL) or locks (files, SQLite, keyrings)

// The provider.
byte live = 1;              // the refresh token that it accepts
bit isRevoked;              // whether it accepts no token
bit detectsReuse;           // whether it revokes everything when a replaced token is used again
#ifdef WITHOUT_ARRIVAL_ASSUMPTION
byte stray;                 // the token in a request of a process that was killed
#endif
byte stale = 1;             // the newest access token that has expired

// The processes.
mtype phase[PROCESSES] = idle;
byte known[PROCESSES] = 1;        // the token in memory (OAuthSession.record)
byte base[PROCESSES];             // SentRefresh.base: the token that is sent
byte baseGeneration[PROCESSES];   // SentRefresh.base.generation
byte baseMark[PROCESSES];         // SentRefresh.base.refreshMark
byte response[PROCESSES];         // the token in the response, or 0 for invalid_grant
byte unsaved[PROCESSES];          // State.unsaved: the token that could not be saved, or 0
byte unsavedGeneration[PROCESSES];
bit isWaiting[PROCESSES];         // whether a caller waits for a token
bit isEnded[PROCESSES];           // State.ended
bit isSigningOut[PROCESSES];      // whether signOut() has been called and has not removed the record yet

// What the faults so far explain. Only the assertions depend on these variables.
byte onWire;                // the number of requests of running processes on the wire
byte newest = 1;            // the newest token that was saved
bit isUnanswered;           // a token was replaced, and the response was lost or its process was killed before the save
bit hasLapsed;              // a lease passed to another process between its owner's mark and save
bit isOvertaken;            // a token was sent whose replacement another process could not save
bit wasRevoked;             // the user revoked access
byte reuser;                // the process whose request reused a token, plus one, or PROCESSES + 1 if it has ended
bit isSignedOut;            // signOut() removed the record
byte kills, losses, lapses, failures, expiries, signOuts, revocations;

#ifndef REPLAY
// SEES is whether a step that the simulator shows can be the next one, and NEXT follows it.
#define SEES(step, p, value) true
#define NEXT skip
#define MAY_OCCUR(kind, limit) (kind < limit \
    && kills + losses + lapses + failures + signOuts + revocations < EVENTS)
#define COUNT(kind) kind++
#define MAY_LAPSE MAY_OCCUR(lapses, LAPSES)
#define RUNNING PROCESSES
#define MAY_EXPIRE (expiries < EXPIRIES)
#define MAY_SIGN_OUT(p) (!isEnded[p])
#else
#include "replay.pml"
#define MAY_OCCUR(kind, limit) true
#define COUNT(kind) skip
#define MAY_LAPSE false   // The simulator's leases do not expire while their owners run.
#define RUNNING running
#define MAY_EXPIRE (stale != live)
#define MAY_SIGN_OUT(p) (!isSigningOut[p] && p == remover && exists)
#endif
#define HAS_TOKENS (exists && reason == ongoing)
#define HAS_NEWER_TOKENS(p) (HAS_TOKENS && token != base[p])
#define HOLDS(p) (owner == p + 1)
#define HAS_LOCK(p) (phase[p] != idle && phase[p] != locking && phase[p] != removing && phase[p] != killed)
#define IS_REFRESHING(p) (phase[p] == marked || phase[p] == sent || phase[p] == processed || phase[p] == answered)
#define IS_ACCEPTED(p) (base[p] == live && !isRevoked)
#define IS_FREE (owner == 0 || expired)
#ifndef WITHOUT_LEASE_ASSUMPTION
#define HAS_LAPSED hasLapsed
#else
#define HAS_LAPSED false
#endif
#ifndef WITHOUT_SAVE_ASSUMPTION
#define IS_OVERTAKEN isOvertaken
#else
#define IS_OVERTAKEN false
#endif
#define IS_EXCUSED (isUnanswered || HAS_LAPSED || IS_OVERTAKEN)
// After a lease or a save was lost, another request can be the reason why the provider accepts no token.
#define IS_REVOKED_BEFORE(p) (wasRevoked || (HAS_LAPSED || IS_OVERTAKEN) && reuser != 0 && reuser != p + 1)
// A process writes if it still holds the lease. A lock cannot be lost.
#define MAY_WRITE(p) (!hasLeases || HOLDS(p))
#define CAN_MARK(p) (MAY_WRITE(p) && exists && generation == baseGeneration[p])
// SentRefresh.otherMark: the mark of another refresh whose result is unknown.
#ifndef OTHER_MARK_IGNORED
#define OTHER_MARK(p) (mark == 0 || mark == p + 1 -> baseMark[p] : mark)
#else
#define OTHER_MARK(p) (baseMark[p])
#endif
#ifndef LEASE_UNCHECKED_AT_SAVE
#define MAY_SAVE(p) MAY_WRITE(p)
#else
#define MAY_SAVE(p) 1
#endif
#ifndef RENEW_OLD_GENERATION
#define MAY_RENEW(p) (HOLDS(p) && expired)
#else
#define MAY_RENEW(p) (expired || !HOLDS(p))
#endif
// OAuthSession.newest: unsaved tokens are used unless the user signed out or another process saved newer tokens.
#define UNSAVED_IS_NEWEST(p) (unsaved[p] != 0 && exists \
    && (reason == refused || reason == interrupted || reason == ongoing && unsavedGeneration[p] > generation))

inline take(p) {
    if
    :: owner != 0 && IS_REFRESHING(owner - 1) -> hasLapsed = 1
    :: else
    fi;
    owner = p + 1; expired = 0; ownerIsDead = 0
}

inline write(p, newToken, newGeneration, newReason) {
    assert(newGeneration >= generation || older_record_never_replaces_newer);
    assert(!isSignedOut || signed_out_stays_signed_out);
    exists = 1; token = newToken; generation = newGeneration; reason = newReason; mark = 0; expired = 0;
    if
    :: newReason == ongoing && newToken > newest -> newest = newToken
    :: else
    fi
}

// The caller receives a token or an error.
inline resume(p) {
#ifndef WAITER_NOT_RESUMED
    isWaiting[p] = 0;
#else
    if
    :: isEnded[p]
    :: else -> isWaiting[p] = 0
    fi;
#endif
    phase[p] = releasing
}

inline finish(p) {
    assert(!HAS_TOKENS || token != live || isRevoked || usable_record_is_never_abandoned);
    isEnded[p] = 1; unsaved[p] = 0; resume(p)
}

// Saves tokens, or retains them in memory if the save fails.
inline retain(p, newToken, newGeneration) {
    unsaved[p] = newToken; unsavedGeneration[p] = newGeneration; resume(p)
}

inline publish(p, newToken) {
    assert(newToken <= newest || published_token_was_saved);
    known[p] = newToken
}

// The process no longer has a request.
inline forget(p) {
    if
    :: reuser == p + 1 -> reuser = PROCESSES + 1
    :: else
    fi;
    base[p] = 0; baseGeneration[p] = 0; baseMark[p] = 0
}

// The process dies. A request that it sent has either been processed by the provider, or never arrives.
inline kill(p) {
    if
    :: (phase[p] == processed || phase[p] == answered) && response[p] != 0 -> isUnanswered = 1
    :: unsaved[p] != 0 -> isUnanswered = 1
    :: else
    fi;
    if
    :: phase[p] == sent || phase[p] == processed -> onWire--
    :: else
    fi;
#ifdef WITHOUT_ARRIVAL_ASSUMPTION
    if
    :: phase[p] == sent -> stray = base[p]
    :: else
    fi;
#endif
    if
    :: HOLDS(p) && HAS_LOCK(p) && hasLeases -> ownerIsDead = 1
    :: HOLDS(p) && HAS_LOCK(p) && !hasLeases -> owner = 0
    :: else
    fi;
    phase[p] = killed; COUNT(kills);
    forget(p);
    known[p] = 0; response[p] = 0;
    unsaved[p] = 0; unsavedGeneration[p] = 0; isWaiting[p] = 0; isEnded[p] = 0; isSigningOut[p] = 0
}

// The request reaches the provider.
inline provide(p) {
    if
    :: IS_ACCEPTED(p) -> live++; response[p] = live
    :: else ->
        response[p] = 0;
        if
        :: base[p] < live && detectsReuse ->
            if
            :: !isRevoked -> reuser = p + 1
            :: else
            fi;
            isRevoked = 1
        :: else
        fi
    fi;
    phase[p] = processed
}

proctype Process(byte p) {
    byte r;
endless:
    do
    // A caller needs a token, and the one in memory has expired.
    :: d_step { phase[p] == idle && !isEnded[p] && !isSigningOut[p] && known[p] <= stale ->
        isWaiting[p] = 1; phase[p] = locking }

    :: d_step { phase[p] == locking && IS_FREE -> take(p); phase[p] = locked }

    // open and renew: the second look at the store. Tokens that could not be saved are saved first.
    :: d_step { phase[p] == locked &&
        (!UNSAVED_IS_NEWEST(p) || !MAY_WRITE(p) || SEES(STEP_SAVE, p, unsaved[p])) ->
        if
#ifdef NO_SECOND_LOOK
        :: HAS_TOKENS && unsaved[p] == 0 ->
            base[p] = known[p]; baseGeneration[p] = generation; baseMark[p] = mark; phase[p] = loaded
#endif
        :: UNSAVED_IS_NEWEST(p) && MAY_WRITE(p) ->
            NEXT;
            write(p, unsaved[p], unsavedGeneration[p], ongoing);
            unsaved[p] = 0; unsavedGeneration[p] = 0
        :: UNSAVED_IS_NEWEST(p) && !MAY_WRITE(p) -> resume(p)
        :: !UNSAVED_IS_NEWEST(p) && !HAS_TOKENS -> finish(p)
#ifndef NO_SECOND_LOOK
        :: !UNSAVED_IS_NEWEST(p) && HAS_TOKENS && token > stale ->
            unsaved[p] = 0; base[p] = token; phase[p] = saved
        :: !UNSAVED_IS_NEWEST(p) && HAS_TOKENS && token <= stale ->
            unsaved[p] = 0; base[p] = token; baseGeneration[p] = generation; baseMark[p] = mark; phase[p] = loaded
#endif
        fi }

    // send: the mark is written under the lease.
    :: d_step { phase[p] == loaded && (!CAN_MARK(p) || SEES(STEP_MARK, p, 1)) ->
#ifndef MARK_AFTER_SEND
        if
        :: !CAN_MARK(p) -> resume(p)
        :: else -> NEXT; mark = p + 1; expired = 0; phase[p] = marked
        fi
#else
        phase[p] = marked
#endif
        }

    :: d_step { phase[p] == marked && SEES(STEP_SEND, p, base[p]) ->
        NEXT; onWire++;
        for (r : 0 .. PROCESSES - 1) {
            if
            :: r != p && unsaved[r] > base[p] -> isOvertaken = 1
            :: else
            fi
        }
        assert(onWire <= 1 || HAS_LAPSED || one_refresh_on_the_wire);
        assert(base[p] >= live || IS_EXCUSED || replaced_token_is_never_sent);
        phase[p] = sent }

    :: d_step { phase[p] == sent && IS_ACCEPTED(p) && SEES(STEP_ACCEPT, p, live + 1) -> NEXT; provide(p) }
    :: d_step { phase[p] == sent && !IS_ACCEPTED(p) && SEES(STEP_REJECT, p, 0) -> NEXT; provide(p) }

    // The request fails before the provider acts, and the error shows this or not.
    :: d_step { phase[p] == sent && MAY_OCCUR(losses, LOSSES) &&
        (!CAN_MARK(p) || SEES(STEP_MARK, p, baseMark[p] != 0)) ->
        COUNT(losses); onWire--;
        if
        :: CAN_MARK(p) -> NEXT; mark = baseMark[p]
        :: else
        fi;
        resume(p) }
    :: d_step { phase[p] == sent && MAY_OCCUR(losses, LOSSES) -> COUNT(losses); onWire--; resume(p) }
    // The response is lost.
    :: d_step { phase[p] == processed && MAY_OCCUR(losses, LOSSES) ->
        COUNT(losses); onWire--;
        if
        :: response[p] != 0 -> isUnanswered = 1
        :: else
        fi;
#ifdef UNMARK_AFTER_LOST_RESPONSE
        mark = baseMark[p];
#endif
        response[p] = 0; resume(p) }

    :: d_step { phase[p] == processed && SEES(STEP_ANSWER, p, 0) ->
        NEXT; onWire--;
#ifdef MARK_AFTER_SEND
        mark = p + 1;
#endif
#ifdef PUBLISH_BEFORE_SAVE
        if
        :: response[p] != 0 -> publish(p, response[p])
        :: else
        fi;
#endif
        phase[p] = answered }

    // accept: the new tokens are saved.
    :: d_step { phase[p] == answered && response[p] != 0 && MAY_SAVE(p) && SEES(STEP_SAVE, p, response[p]) ->
        NEXT;
        write(p, response[p], baseGeneration[p] + 1, ongoing);
        base[p] = response[p]; response[p] = 0; phase[p] = saved }
    // Lease.recover: another process held the lease meanwhile. The tokens are saved if the record has not changed.
    :: d_step { phase[p] == answered && !MAY_WRITE(p) && IS_FREE ->
        take(p);
        if
        :: exists && reason == ongoing && generation == baseGeneration[p] && token == base[p]
        :: else ->
            if
            :: response[p] != 0 -> retain(p, response[p], baseGeneration[p] + 1)
#ifndef END_AFTER_LOST_LEASE
            :: else -> resume(p)
#else
            :: else -> finish(p)
#endif
            fi;
            response[p] = 0
        fi }
    :: d_step { phase[p] == answered && response[p] != 0 && MAY_OCCUR(failures, FAILURES) &&
        SEES(STEP_FAIL, p, 0) ->
        NEXT; COUNT(failures);
#ifndef DROP_UNSAVED_TOKENS
        retain(p, response[p], baseGeneration[p] + 1);
#else
        resume(p);
#endif
        response[p] = 0 }

    // afterRefusal: invalid_grant. The store is read again. If it has no newer tokens, the session ends.
    :: d_step { phase[p] == answered && response[p] == 0 && (!HAS_TOKENS || HAS_NEWER_TOKENS(p) || MAY_WRITE(p)) &&
        (!HAS_TOKENS || HAS_NEWER_TOKENS(p) || SEES(STEP_CLOSE, p, OTHER_MARK(p) != 0)) ->
        if
        // Another process has ended the session.
        :: !HAS_TOKENS -> finish(p)
        :: HAS_NEWER_TOKENS(p) -> phase[p] = locked
        :: else ->
            assert(IS_EXCUSED || wasRevoked || usable_token_is_never_lost);
            assert(OTHER_MARK(p) != 0 || IS_REVOKED_BEFORE(p) || interruption_is_reported);
            NEXT;
            if
            :: OTHER_MARK(p) != 0 -> write(p, 0, generation + 1, interrupted)
            :: else -> write(p, 0, generation + 1, refused)
            fi;
            finish(p)
        fi }

    :: d_step { phase[p] == saved ->
        if
        :: isEnded[p]
        :: else -> publish(p, base[p])
        fi;
        resume(p) }

    :: d_step { phase[p] == releasing ->
        assert(!HOLDS(p) || !HAS_TOKENS || token == live || IS_EXCUSED || unsaved[p] == live || usable_token_is_never_lost);
        if
        :: HOLDS(p) -> owner = 0; expired = 0
        :: else
        fi;
        forget(p);
        phase[p] = idle }

    // Lease.renewUntilCanceled.
    :: d_step { hasLeases && HAS_LOCK(p) && MAY_RENEW(p) -> owner = p + 1; expired = 0; ownerIsDead = 0 }

    // signOut: the session ends in memory at once. The record is removed when a refresh in progress has completed.
    :: d_step { phase[p] != killed && MAY_SIGN_OUT(p) && MAY_OCCUR(signOuts, SIGN_OUTS) ->
        COUNT(signOuts); isSigningOut[p] = 1; isEnded[p] = 1 }
#ifndef SAVE_AFTER_SIGN_OUT
    :: d_step { phase[p] == idle && isSigningOut[p] -> phase[p] = removing }
#else
    :: d_step { isSigningOut[p] -> exists = 0; isSignedOut = 1; isSigningOut[p] = 0 }
#endif
    :: d_step { phase[p] == removing && IS_FREE -> take(p); phase[p] = removable }
    :: d_step { phase[p] == removable && (!MAY_WRITE(p) || !exists || SEES(STEP_REMOVE, p, 0)) ->
        if
        :: !MAY_WRITE(p) -> phase[p] = removing
        :: else ->
            if
            :: exists -> NEXT
            :: else
            fi;
            exists = 0; token = 0; mark = 0; isSignedOut = 1; isSigningOut[p] = 0; unsaved[p] = 0;
            phase[p] = releasing
        fi }

    :: d_step { phase[p] != killed && MAY_OCCUR(kills, KILLS) && SEES(STEP_KILL, p, 0) -> NEXT; kill(p) }
    // The process starts again and restores the session, if there is one.
    :: d_step { phase[p] == killed ->
        phase[p] = idle;
        if
        :: HAS_TOKENS -> known[p] = token
        :: else -> isEnded[p] = 1
        fi }
#ifdef REPLAY
    // The following steps of the library and the simulator are not part of the model.
    // A store operation fails, but has taken effect. The process notices the failure, or is killed before.
    :: d_step { phase[p] == loaded && CAN_MARK(p) && SEES(STEP_KILL, p, 0) -> NEXT; mark = p + 1; kill(p) }
    :: d_step { phase[p] == answered && response[p] != 0 && MAY_WRITE(p) &&
        (SEES(STEP_FAIL, p, 0) || SEES(STEP_KILL, p, 0)) ->
        write(p, response[p], baseGeneration[p] + 1, ongoing);
        if
        :: nextStep == STEP_FAIL -> NEXT; retain(p, response[p], baseGeneration[p] + 1); response[p] = 0
        :: else -> NEXT; kill(p)
        fi }
    // A mark or the save of the session's end fails.
    :: d_step { phase[p] == loaded -> resume(p) }
    :: d_step { phase[p] == answered && response[p] == 0 && !HAS_NEWER_TOKENS(p) && SEES(STEP_FAIL, p, 1) ->
        NEXT; finish(p) }
    // Tokens that were retained cannot be saved either, or the failed save has taken effect.
    :: d_step { phase[p] == locked && UNSAVED_IS_NEWEST(p) && SEES(STEP_FAIL, p, 0) -> NEXT; resume(p) }
    :: d_step { phase[p] == locked && UNSAVED_IS_NEWEST(p) && MAY_WRITE(p) && SEES(STEP_FAIL, p, 0) ->
        write(p, unsaved[p], unsavedGeneration[p], ongoing); NEXT; resume(p) }
    // A connection cannot be established, so the mark is removed, or that fails, too.
    :: d_step { phase[p] == marked && CAN_MARK(p) && SEES(STEP_MARK, p, baseMark[p] != 0) ->
        NEXT; mark = baseMark[p]; resume(p) }
    :: d_step { phase[p] == marked -> resume(p) }
    // The process releases its session, and restores it if there is a record.
    :: d_step { SEES(STEP_RELEASE, p, 0) ->
        NEXT;
        if
        :: HAS_TOKENS -> isEnded[p] = isSigningOut[p]
        :: else
        fi }
#endif
    od
}

proctype Environment() {
endless:
    do
    :: d_step { MAY_EXPIRE -> COUNT(expiries); stale = live }
    :: d_step { MAY_OCCUR(revocations, REVOCATIONS) && SEES(STEP_REVOKE, 0, 0) ->
        NEXT; COUNT(revocations); isRevoked = 1; wasRevoked = 1 }
#ifndef NO_EXPIRY
    // The lease of a process that was killed expires.
    :: d_step { owner != 0 && ownerIsDead -> owner = 0; ownerIsDead = 0; expired = 0 }
#endif
#ifdef WITHOUT_ARRIVAL_ASSUMPTION
    // The request of a process that was killed arrives after all.
    :: d_step { stray != 0 ->
        if
        :: stray == live && !isRevoked -> live++; isUnanswered = 1
        :: stray != live && detectsReuse -> isRevoked = 1; reuser = PROCESSES + 1
        :: else
        fi;
        stray = 0 }
#endif
    :: d_step { owner != 0 && !ownerIsDead && !expired && hasLeases && MAY_LAPSE ->
        COUNT(lapses); expired = 1 }
    od
}

init {
    byte p;
    atomic {
#ifndef REPLAY
        if
        :: hasLeases = 0
        :: hasLeases = 1
        fi;
        if
        :: detectsReuse = 0
        :: detectsReuse = 1
        fi;
#else
        LOAD_TRACE;
#endif
        run Environment();
        for (p : 0 .. RUNNING - 1) { run Process(p) }
    }
}

#ifdef LIVENESS
// Every waiting caller receives a token or an error. The faults stop, because their number is limited.
ltl every_waiter_gets_a_result {
    [] (isWaiting[0] -> <> !isWaiting[0]) && [] (isWaiting[1] -> <> !isWaiting[1])
#if PROCESSES > 2
    && [] (isWaiting[2] -> <> !isWaiting[2])
#endif
}
#endif
