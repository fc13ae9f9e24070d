// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms

/// The built programs of `Examples/`, which share the tests' scratch path.
enum ExamplePrograms {
    static var areBuilt: Bool { FileManager.default.isExecutableFile(atPath: self.path("four-steps")) }

    static func path(_ name: String) -> String { ChildProgram.built(name) }
}
