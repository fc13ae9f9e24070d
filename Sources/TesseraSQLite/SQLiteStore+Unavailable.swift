// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !SQLite
/// Keeps sessions in an SQLite database.
@available(*, unavailable, message: "Enable the package trait SQLite to use this store.")
public final class SQLiteStore {}
#endif
