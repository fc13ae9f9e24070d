// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraCommand
internal import TesseraStores
#if PostgreSQL
internal import TesseraPostgreSQL
#endif
#if SQLite
internal import TesseraSQLite
#endif

/// `tessera-databases`: the same commands, with the stores in databases; `tessera` starts it when it meets one.
@main
enum TesseraDatabasesProgram {
    static func main() { CommandLineProgram.main(databases: Self.databases) }

    private static var databases: [StoreFactory] {
        var databases: [StoreFactory] = []
        #if SQLite
        databases.append(.sqlite)
        #endif
        #if PostgreSQL
        databases += [.postgreSQL, .postgres]
        #endif
        return databases
    }
}
