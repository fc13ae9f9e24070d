// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPICommand

/// `tessera-api`: the commands that call Google APIs, with the stores that do not need a database.
///
/// `tessera` starts it.
@main
enum TesseraAPIProgram {
    static func main() { APIProgram.main() }
}
