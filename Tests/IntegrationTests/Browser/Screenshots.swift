// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// Pictures of what the browser shows, for the documentation: written where `TESSERA_SCREENSHOTS` names a folder.
enum Screenshots {
    static func take(_ name: String, of session: WebDriverSession) async throws {
        guard let folder = ProcessInfo.processInfo.environment["TESSERA_SCREENSHOTS"], !folder.isEmpty else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await session.screenshot(to: "\(folder)/\(name).png")
    }
}
