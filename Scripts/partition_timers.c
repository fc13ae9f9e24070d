// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors
//
// libfaketime subtracts the offset of the wall clock from the deadline of each timer, even if the timer uses the monotonic
// clock. A timer would then fire too late or never. This library is loaded before libfaketime and makes the system call.
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

int timerfd_settime(int descriptor, int flags, const struct itimerspec *value, struct itimerspec *former) {
    return (int)syscall(SYS_timerfd_settime, descriptor, flags, value, former);
}
