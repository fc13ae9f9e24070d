// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#ifndef TESSERA_DEADLINE_H
#define TESSERA_DEADLINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/// Calls `expire` from a thread of its own unless it is ended in time.
struct tessera_deadline {
    void (*expire)(void *);
    void *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct timespec until;
    bool is_over;
    bool has_expired;
};

/// False when no thread can be had.
bool tessera_deadline_begin(
    struct tessera_deadline *deadline, uint32_t milliseconds, void (*expire)(void *), void *context);
/// Counts anew from now.
void tessera_deadline_extend(struct tessera_deadline *deadline, uint32_t milliseconds);
/// `expire` runs no more when this returns.
void tessera_deadline_end(struct tessera_deadline *deadline);

#endif
