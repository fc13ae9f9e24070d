// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// The path of a temporary directory, which is removed with the value.
final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/tessera-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: self.path) }
}
