// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !PostgreSQL
/// Keeps sessions in PostgreSQL.
@available(*, unavailable, message: "Enable the package trait PostgreSQL to use this store.")
public final class PostgreSQLStore {}
#endif
