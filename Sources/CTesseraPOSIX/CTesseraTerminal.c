// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#define _GNU_SOURCE
#include "CTesseraPOSIX.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// One terminal at a time. `is_hidden` is the last thing set and the first thing cleared, so that a signal in between
// finds settings that are whole.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t is_hidden = 0;
static int terminal = -1;
static struct termios before;

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static bool is_watched[sizeof deadly / sizeof deadly[0]];
static bool is_registered = false;

static void restore(void) {
    if (!is_hidden) { return; }
    is_hidden = 0;
    // What was pasted and not read must not reach the shell.
    tcflush(terminal, TCIFLUSH);
    tcsetattr(terminal, TCSANOW, &before);
}

static void restore_and_die(int number) {
    restore();
    signal(number, SIG_DFL);
    raise(number);
}

static int set_hidden(struct termios settings) {
    settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
    settings.c_cc[VMIN] = 0;
    settings.c_cc[VTIME] = 1;
    return tcsetattr(terminal, TCSANOW, &settings);
}

int tessera_terminal_hide(int descriptor) {
    pthread_mutex_lock(&lock);
    int failure = 0;
    struct termios settings;
    pid_t foreground = tcgetpgrp(descriptor);
    if (is_hidden) {
        failure = EBUSY;
    } else if (foreground >= 0 && foreground != getpgrp()) {
        failure = EIO;  // changing the settings from the background would stop the program
    } else if (tcgetattr(descriptor, &settings) < 0) {
        failure = errno;
    }
    if (failure != 0) {
        pthread_mutex_unlock(&lock);
        return failure;
    }
    before = settings;
    terminal = descriptor;
    if (!is_registered) {
        is_registered = true;
        atexit(restore);
    }
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        // A program that handles a signal itself ends its sign-in itself.
        struct sigaction current;
        is_watched[i] = sigaction(deadly[i], NULL, &current) == 0 && current.sa_handler == SIG_DFL;
        if (is_watched[i]) { signal(deadly[i], restore_and_die); }
    }
    is_hidden = 1;
    if (set_hidden(settings) < 0) { failure = errno; }
    pthread_mutex_unlock(&lock);
    if (failure != 0) { tessera_terminal_restore(); }
    return failure;
}

void tessera_terminal_hide_again(void) {
    pthread_mutex_lock(&lock);
    struct termios settings;
    if (is_hidden && tcgetpgrp(terminal) == getpgrp() && tcgetattr(terminal, &settings) == 0
        && (settings.c_lflag & (ICANON | ECHO)) != 0) {
        set_hidden(settings);
        // A signal may have restored the settings in the meantime.
        if (!is_hidden) { tcsetattr(terminal, TCSANOW, &before); }
    }
    pthread_mutex_unlock(&lock);
}

void tessera_terminal_restore(void) {
    pthread_mutex_lock(&lock);
    if (is_hidden) {
        restore();
        for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
            struct sigaction current;
            if (is_watched[i] && sigaction(deadly[i], NULL, &current) == 0 && current.sa_handler == restore_and_die) {
                signal(deadly[i], SIG_DFL);
            }
        }
    }
    pthread_mutex_unlock(&lock);
}

int tessera_terminal_pair(int *controller, int *end) {
    *controller = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*controller < 0) { return errno; }
    const char *name = NULL;
    if (grantpt(*controller) == 0 && unlockpt(*controller) == 0) { name = ptsname(*controller); }
    *end = name == NULL ? -1 : open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*end < 0) {
        int failure = errno;
        close(*controller);
        return failure;
    }
    return 0;
}
