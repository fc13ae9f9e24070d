// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraCommand
internal import TesseraConsole
internal import TesseraPostgreSQL
internal import TesseraSQLite
internal import TesseraStores

/// `tessera-databases`: the same commands, with the stores in databases; `tessera` starts it when it meets one.
@main
enum TesseraDatabasesProgram {
    static func main() { CommandLineProgram.main(databases: [.sqlite, .postgreSQL, .postgres]) }
}
