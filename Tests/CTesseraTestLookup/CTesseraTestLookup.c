// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#define _GNU_SOURCE
#include "CTesseraTestLookup.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static int hanging = 0;
static int is_released = 0;

typedef int (*Lookup)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    Lookup system = (Lookup)dlsym(RTLD_NEXT, "getaddrinfo");
    if (name != NULL && strcmp(name, "hang.test") == 0) {
        pthread_mutex_lock(&lock);
        hanging += 1;
        while (!is_released) { pthread_cond_wait(&released, &lock); }
        hanging -= 1;
        pthread_mutex_unlock(&lock);
        return EAI_NONAME;
    }
    if (name == NULL || strcmp(name, "both.test") != 0) { return system(name, service, hints, result); }
    int family = hints == NULL ? AF_UNSPEC : hints->ai_family;
    if (family == AF_INET) { return system("127.0.0.1", service, hints, result); }
    int failure = system("::1", service, hints, result);
    if (failure != 0 || family == AF_INET6) { return failure; }
    struct addrinfo *last = *result;
    while (last->ai_next != NULL) { last = last->ai_next; }
    return system("127.0.0.1", service, hints, &last->ai_next);
}

int tessera_test_hanging_lookups(void) {
    pthread_mutex_lock(&lock);
    int count = hanging;
    pthread_mutex_unlock(&lock);
    return count;
}

void tessera_test_release_lookups(void) {
    pthread_mutex_lock(&lock);
    is_released = 1;
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&lock);
}
#endif
