// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraSupport
internal import TesseraUserAgents

/// Redirect forwarding in a temporary directory.
struct HandoverFolder: Sendable {
    let forwarding: RedirectForwarding
    let root: String

    /// Runs `body` with a value whose directory does not exist yet.
    static func with(_ body: (HandoverFolder) async throws -> Void) async throws {
        // A socket's path must not exceed 107 bytes.
        let root = "/tmp/tessera-handover-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let folder = HandoverFolder(forwarding: RedirectForwarding(directory: root + "/redirects"), root: root)
        defer { try? FileManager.default.removeItem(atPath: root) }
        try await body(folder)
    }

    /// Forwards a redirect as the second process does, on a thread that may block.
    func deliver(_ arguments: String...) async throws -> Bool {
        try await BlockingExecutor().run { self.forwarding.deliver(["/usr/bin/program"] + arguments) }
    }

    /// The paths of the sockets of all schemes.
    var sockets: [String] {
        let paths = FileManager.default.subpaths(atPath: self.forwarding.directory) ?? []
        return paths.filter { $0.contains(".socket") }.map { "\(self.forwarding.directory)/\($0)" }
    }

    /// Returns the permissions of a file.
    func mode(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }

    func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}
