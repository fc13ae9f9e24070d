// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPICommand
internal import TesseraCommand
internal import TesseraConsole
internal import TesseraPostgreSQL
internal import TesseraSQLite
internal import TesseraStores

/// `tessera-databases`: the commands of `tessera` and `tessera-api` with support for database stores.
///
/// `tessera` and `tessera-api` start it if such a store is used.
@main
enum TesseraDatabasesProgram {
    static func main() {
        let databases: [StoreFactory] = [.sqlite, .postgreSQL, .postgres]
        if APIProgram.handles(CommandLine.arguments.dropFirst()) { APIProgram.main(databases: databases) }
        CommandLineProgram.main(databases: databases)
    }
}
