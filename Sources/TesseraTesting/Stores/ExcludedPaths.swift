// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The paths below a folder that are excluded from backups, from the creation of this value on.
///
/// Only an app's container has backups; elsewhere this shows what would be excluded there.
package final class ExcludedPaths: Sendable {
    /// The folders that are watched, of all tests of this process.
    private static let watched: Mutex<[String: ExcludedPaths]> = {
        FileSystem.backupExclusionObserver.withLock { observer in
            observer = { path in
                let watching = ExcludedPaths.watched.withLock { $0.first { path.hasPrefix($0.key) }?.value }
                return watching?.note(path)
            }
        }
        return Mutex([:])
    }()

    private let folder: String
    private let state = Mutex((paths: [String](), failing: String?.none))

    /// Watches a folder of one test.
    ///
    /// The value must be kept alive by ``end()`` or to the end of the process.
    package init(below folder: String) {
        self.folder = folder + "/"
        Self.watched.withLock { $0[self.folder] = self }
    }

    /// Stops watching.
    package func end() { Self.watched.withLock { $0[self.folder] = nil } }

    /// The paths, relative to the folder, in the order of the calls.
    package var paths: [String] { self.state.withLock { $0.paths } }

    /// Lets the exclusion of paths fail whose name contains `text`; nil lets all succeed.
    package func fail(_ text: String?) { self.state.withLock { $0.failing = text } }

    private func note(_ path: String) -> SystemError? {
        let isFailing = self.state.withLock { state in
            state.paths.append(String(path.dropFirst(self.folder.count)))
            return state.failing.map { path.contains($0) } ?? false
        }
        return isFailing ? SystemError(.call, path: path, detail: "it could not be excluded from backups") : nil
    }
}
