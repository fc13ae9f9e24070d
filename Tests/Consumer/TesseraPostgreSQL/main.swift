// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraPostgreSQL

#if PostgreSQL
print(PostgreSQLStore.self)
#endif
