// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// Screenshots for the documentation, written to the folder that `TESSERA_SCREENSHOTS` names.
enum Screenshots {
    static func take(_ name: String, of session: WebDriverSession) async throws {
        guard let folder = ProcessInfo.processInfo.environment["TESSERA_SCREENSHOTS"], !folder.isEmpty else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await session.screenshot(to: "\(folder)/\(name).png")
    }
}
