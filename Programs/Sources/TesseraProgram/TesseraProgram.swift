// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraCommand
internal import TesseraConsole

/// `tessera`: starts quickly, and supports the stores that do not need a database.
@main
enum TesseraProgram {
    static func main() { CommandLineProgram.main() }
}
