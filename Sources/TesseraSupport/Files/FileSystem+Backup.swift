// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
internal import Foundation
#endif

extension FileSystem {
    /// Called with each path before it is excluded from backups, on every system.
    ///
    /// Tests set it once per process, because only an app's container has backups; an error that it returns is thrown.
    /// It does not throw itself, because a function type with typed errors cannot be stored like this before iOS 18.
    package static let backupExclusionObserver = Mutex<(@Sendable (_ path: String) -> SystemError?)?>(nil)

    /// Excludes a file or a directory of an app's container from the device's backups; on other systems only
    /// ``backupExclusionObserver`` is called.
    ///
    /// A refresh token that is restored to a second device would be replayed there.
    ///
    /// - Throws: `system` if the exclusion cannot be noted: what must not be in a backup is not written.
    package static func excludeFromBackup(_ path: String) throws(SystemError) {
        let observer = Self.backupExclusionObserver.withLock { $0 }
        if let error = observer?(path) { throw error }
        #if canImport(Darwin) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
        var url = URL(fileURLWithPath: path)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        do {
            try url.setResourceValues(values)
        } catch {
            let error = error as NSError
            throw SystemError(
                .call,
                path: path,
                status: Int32(truncatingIfNeeded: error.code),
                detail: "it could not be excluded from backups (\(error.domain))"
            )
        }
        #endif
    }
}
