// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An error in the setup of a test.
struct SceneFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
