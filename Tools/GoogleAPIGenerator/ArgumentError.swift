// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What is wrong with the command line or a source.
struct ArgumentError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
