// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
public import Tessera
public import TesseraOAuth

extension PostgreSQLStore {
    /// The store that a name in one word means: `postgresql://…` or `postgres://…`, sealed with the user's key file.
    ///
    /// - Parameter uri: the name, which may hold a password.
    /// - Throws: ``StoreError`` `unavailable` for any other name, of which it repeats nothing.
    public convenience init(uri: Secret) throws(StoreError) {
        let isAddress = uri.withUnredacted { text in
            ["postgresql://", "postgres://"].contains { text.lowercased().hasPrefix($0) }
        }
        guard isAddress else {
            throw StoreError(
                .unavailable,
                place: "postgresql:",
                detail: "a database is named as postgresql://user@host:port/database"
            )
        }
        try self.init(uri)
    }
}
#endif
