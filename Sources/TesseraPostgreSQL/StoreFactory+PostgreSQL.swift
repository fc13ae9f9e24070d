// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraOAuth
public import TesseraStores

extension StoreFactory {
    /// `postgresql://user@host:port/database`, a ``PostgreSQLStore`` sealed with the user's key file.
    ///
    /// libpq reads the address, apart from `tessera_lease`, which is the duration of a lease in seconds, from 5 to 3600.
    /// A password in the address is visible to anyone who lists this machine's processes: `~/.pgpass`, a service file or
    /// `PGPASSWORD` are better places.
    ///
    /// - SeeAlso: [libpq: The Password File](https://www.postgresql.org/docs/current/libpq-pgpass.html)
    public static let postgreSQL = Self.postgreSQL(scheme: "postgresql")

    /// The same under its other name, `postgres://…`.
    public static let postgres = Self.postgreSQL(scheme: "postgres")

    private static func postgreSQL(scheme: String) -> StoreFactory {
        StoreFactory(
            scheme: scheme,
            form: "\(scheme)://USER@HOST/DATABASE"
        ) { rest throws(StoreError) in
            guard rest.hasPrefix("//") else {
                throw StoreError(
                    .unavailable,
                    place: "\(scheme):",
                    detail: "a database is named as \(scheme)://user@host:port/database"
                )
            }
            let store = try PostgreSQLStore(Secret("\(scheme):\(rest)"))
            return Product(name: store.tables.place) { store }
        }
    }
}
#endif
