// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A directory for lock files that is removed with this value.
final class LockFolder {
    let path = FileManager.default.temporaryDirectory.path + "/tessera-locks-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: self.path) }
}
