// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraCommand
internal import TesseraConsole

/// `tessera`: quick to start, with the stores that need no database.
@main
enum TesseraProgram {
    static func main() { CommandLineProgram.main() }
}
