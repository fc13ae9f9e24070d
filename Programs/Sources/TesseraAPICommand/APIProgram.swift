// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import TesseraCommand
internal import TesseraPostgreSQL
internal import TesseraSQLite
internal import TesseraStores

/// `tessera-api`: the commands that call Google APIs, with support for every store.
///
/// `tessera` starts it.
@main
enum APIProgram {
    static func main() { CommandLineProgram.main(GoogleCommand.self, databases: [.sqlite, .postgreSQL, .postgres]) }
}
