// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// time_command PROGRAM ARGUMENT…: runs a program once, discards its output, and prints its duration in microseconds.

#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int status;
    double start = now();
    if (posix_spawnp(&child, arguments[1], &actions, NULL, arguments + 1, environ) != 0) return 127;
    if (waitpid(child, &status, 0) != child) return 126;
    double microseconds = now() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
    printf("%.1f\n", microseconds);
    return 0;
}
