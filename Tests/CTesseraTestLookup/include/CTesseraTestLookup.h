// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors
//
// A replacement for getaddrinfo in a test program and in the shared libraries that it loads.
//
// `both.test` resolves to [::1] and 127.0.0.1, in this order. A lookup of `hang.test` blocks until it is released.
// All other names are resolved by the system.

#ifndef CTESSERA_TEST_LOOKUP_H
#define CTESSERA_TEST_LOOKUP_H

/// Returns the number of lookups of `hang.test` that are in progress.
int tessera_test_hanging_lookups(void);
/// Makes all current and future lookups of `hang.test` fail.
void tessera_test_release_lookups(void);

#endif
