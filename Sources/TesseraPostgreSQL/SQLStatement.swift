// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
/// A statement, with a name where it is worth being prepared.
struct SQLStatement: Sendable {
    let name: String?
    let sql: String

    init(_ sql: String, name: String? = nil) {
        self.sql = sql
        self.name = name
    }
}
#endif
