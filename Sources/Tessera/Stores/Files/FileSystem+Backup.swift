// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
internal import Foundation
#endif

extension FileSystem {
    /// Excludes a directory of an app's container from the device's backups; does nothing elsewhere.
    ///
    /// A refresh token that is restored to a second device would be replayed there. A volume that cannot note the
    /// exclusion is not backed up either.
    static func excludeFromBackup(_ directory: String) {
        #if canImport(Darwin) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
        var url = URL(fileURLWithPath: directory, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? url.setResourceValues(values)
        #endif
    }
}
