// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// The built programs of `Examples/`.
enum ExamplePrograms {
    private static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../../Examples/.build/debug").standardizedFileURL

    static var areBuilt: Bool { FileManager.default.isExecutableFile(atPath: self.path("four-steps")) }

    static func path(_ name: String) -> String { self.directory.appending(path: name).path }
}
