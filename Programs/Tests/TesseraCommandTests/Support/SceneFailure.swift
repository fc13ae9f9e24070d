// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A test's set-up went wrong.
struct SceneFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
