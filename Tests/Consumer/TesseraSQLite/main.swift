// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSQLite

#if SQLite
print(SQLiteStore.self)
#endif
