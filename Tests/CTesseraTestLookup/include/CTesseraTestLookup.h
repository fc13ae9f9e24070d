// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors
//
// A test program that links this has its own getaddrinfo, which shared libraries use too.
//
// `both.test` is [::1] first and then 127.0.0.1. The lookup of `hang.test` does not end before it is released.
// All other names are the system's.

#ifndef CTESSERA_TEST_LOOKUP_H
#define CTESSERA_TEST_LOOKUP_H

/// The number of lookups of `hang.test` that are under way.
int tessera_test_hanging_lookups(void);
/// Lets all lookups of `hang.test` fail, those to come included.
void tessera_test_release_lookups(void);

#endif
