// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraAPICommand
internal import TesseraStores
#if PostgreSQL
internal import TesseraPostgreSQL
#endif
#if SQLite
internal import TesseraSQLite
#endif

/// `tessera-api`: the commands that call Google's APIs, with every store; `tessera` starts it.
@main
enum TesseraAPIProgram {
    static func main() { APIProgram.main(databases: Self.databases) }

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
