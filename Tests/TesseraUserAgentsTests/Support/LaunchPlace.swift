// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraSupport

/// A home directory for the pages that lead a browser to a provider.
struct LaunchPlace: Sendable {
    let home: String
    var directory: String { "\(self.home)/tessera/pages" }

    /// Runs `body` with a directory that no page was made in yet, where sign-ins of the same task make them.
    static func with(_ body: (LaunchPlace) async throws -> Void) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "tessera-launch-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: home,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(atPath: home) }
        let places = UserPlaces(layout: .xdg, home: home) { $0 == "XDG_RUNTIME_DIR" ? home : nil }
        try await UserPlaces.$ofTask.withValue(places) { try await body(LaunchPlace(home: home)) }
    }

    /// The files that are there.
    var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? [] }

    static func mode(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }
}
