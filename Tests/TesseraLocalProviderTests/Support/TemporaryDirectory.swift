// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A directory that is removed with its last reference.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.appending(path: "tessera-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: "\(self.path)/\(name)"))
    }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: "\(self.path)/\(name)"))) }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(self.path)/\(name)", withDestinationPath: target)
    }

    /// The names of all files, including hidden ones.
    var allNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: self.path).sorted() }
    }

    var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: self.path).filter { !$0.hasPrefix(".") }.sorted()
        }
    }
}
#endif
