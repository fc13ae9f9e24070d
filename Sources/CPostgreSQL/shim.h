// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// libpq, PostgreSQL's own client library.

#ifndef C_POSTGRESQL_H
#define C_POSTGRESQL_H

#include <libpq-fe.h>

#endif
