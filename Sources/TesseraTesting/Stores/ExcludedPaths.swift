// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The paths below a folder that have been excluded from backups since this value was created.
///
/// Only an app's container is backed up. Elsewhere, this value records the paths that an app would exclude.
package final class ExcludedPaths: Sendable {
    /// The folders that all tests in this process are watching.
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

    /// Starts watching a test's folder.
    ///
    /// The value is retained until ``end()`` is called.
    package init(below folder: String) {
        self.folder = folder + "/"
        Self.watched.withLock { $0[self.folder] = self }
    }

    /// Stops watching.
    package func end() { Self.watched.withLock { $0[self.folder] = nil } }

    /// The excluded paths, relative to the folder, in the order in which they were excluded.
    package var paths: [String] { self.state.withLock { $0.paths } }

    /// Makes exclusion fail for paths that contain `text`, or succeed for all paths if `text` is `nil`.
    package func fail(_ text: String?) { self.state.withLock { $0.failing = text } }

    private func note(_ path: String) -> SystemError? {
        let isFailing = self.state.withLock { state in
            state.paths.append(String(path.dropFirst(self.folder.count)))
            return state.failing.map { path.contains($0) } ?? false
        }
        return isFailing ? SystemError(.call, path: path, detail: "it could not be excluded from backups") : nil
    }
}
