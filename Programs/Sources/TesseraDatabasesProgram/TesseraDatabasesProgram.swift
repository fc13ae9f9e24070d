// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraCommand
internal import TesseraConsole
internal import TesseraPostgreSQL
internal import TesseraSQLite
internal import TesseraStores

/// `tessera-databases`: the `tessera` commands with support for database stores.
///
/// `tessera` starts it if such a store is used.
@main
enum TesseraDatabasesProgram {
    static func main() { CommandLineProgram.main(databases: [.sqlite, .postgreSQL, .postgres]) }
}
