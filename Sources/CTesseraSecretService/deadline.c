// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !defined(__APPLE__)
#define _GNU_SOURCE
#include "deadline.h"

#include <errno.h>
#include <signal.h>

static struct timespec from_now(uint32_t milliseconds) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec += 1;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

static void *watch(void *context) {
    struct tessera_deadline *deadline = context;
    pthread_mutex_lock(&deadline->lock);
    while (!deadline->is_over && !deadline->has_expired) {
        struct timespec until = deadline->until;
        int result = pthread_cond_timedwait(&deadline->changed, &deadline->lock, &until);
        if (result != ETIMEDOUT || deadline->is_over) { continue; }
        bool is_same = until.tv_sec == deadline->until.tv_sec && until.tv_nsec == deadline->until.tv_nsec;
        deadline->has_expired = is_same;
    }
    bool has_expired = deadline->has_expired;
    pthread_mutex_unlock(&deadline->lock);
    if (has_expired) { deadline->expire(deadline->context); }
    return NULL;
}

bool tessera_deadline_begin(
    struct tessera_deadline *deadline, uint32_t milliseconds, void (*expire)(void *), void *context) {
    deadline->expire = expire;
    deadline->context = context;
    deadline->until = from_now(milliseconds);
    deadline->is_over = false;
    deadline->has_expired = false;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&deadline->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&deadline->lock, NULL);
    // No signal of the program's is handled on this thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&deadline->thread, NULL, watch, deadline);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure == 0) { return true; }
    pthread_cond_destroy(&deadline->changed);
    pthread_mutex_destroy(&deadline->lock);
    return false;
}

void tessera_deadline_extend(struct tessera_deadline *deadline, uint32_t milliseconds) {
    pthread_mutex_lock(&deadline->lock);
    deadline->until = from_now(milliseconds);
    pthread_cond_signal(&deadline->changed);
    pthread_mutex_unlock(&deadline->lock);
}

void tessera_deadline_end(struct tessera_deadline *deadline) {
    pthread_mutex_lock(&deadline->lock);
    deadline->is_over = true;
    pthread_cond_signal(&deadline->changed);
    pthread_mutex_unlock(&deadline->lock);
    pthread_join(deadline->thread, NULL);
    pthread_cond_destroy(&deadline->changed);
    pthread_mutex_destroy(&deadline->lock);
}
#endif
