// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraSupport
internal import TesseraUserAgents

/// A hand-over in a directory of its own.
struct HandoverFolder: Sendable {
    let handover: RedirectHandover
    let root: String

    /// Runs `body` with one whose directory nobody made yet.
    static func with(_ body: (HandoverFolder) async throws -> Void) async throws {
        // A socket's path may have 107 bytes.
        let root = "/tmp/tessera-handover-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let folder = HandoverFolder(handover: RedirectHandover(directory: root + "/redirects"), root: root)
        defer { try? FileManager.default.removeItem(atPath: root) }
        try await body(folder)
    }

    /// What the second process does; it blocks.
    func deliver(_ arguments: String...) async throws -> Bool {
        try await BlockingExecutor().run { self.handover.deliver(["/usr/bin/program"] + arguments) }
    }

    /// The sockets, of all schemes.
    var sockets: [String] {
        let paths = FileManager.default.subpaths(atPath: self.handover.directory) ?? []
        return paths.filter { $0.contains(".socket") }.map { "\(self.handover.directory)/\($0)" }
    }

    /// Who may do what with a file.
    func mode(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }

    func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}
