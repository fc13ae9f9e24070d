// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraSupport

/// A home directory for launch pages.
struct LaunchLocation: Sendable {
    let home: String
    var directory: String { "\(self.home)/tessera/pages" }

    /// Runs `body` with an empty directory in which sign-ins of the same task create their launch pages.
    static func with(_ body: (LaunchLocation) async throws -> Void) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "tessera-launch-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: home,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(atPath: home) }
        let places = UserFolders(layout: .xdg, home: home) { $0 == "XDG_RUNTIME_DIR" ? home : nil }
        try await UserFolders.$ofTask.withValue(places) { try await body(LaunchLocation(home: home)) }
    }

    /// The names of the files in the directory.
    var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? [] }

    static func mode(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }
}
