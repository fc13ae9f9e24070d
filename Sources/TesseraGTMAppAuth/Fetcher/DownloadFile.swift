// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport

/// A file next to the destination of a download, which replaces the destination when it is complete.
///
/// The conformance to `Sendable` is `@unchecked` because `FileHandle` is not `Sendable` on every system. It is safe
/// because the handle is used only on a private serial queue.
final class DownloadFile: @unchecked Sendable {
    private let destination: URL
    private let partial: URL
    private var handle: FileHandle?
    private let executor = BlockingExecutor()

    init(_ destination: URL) {
        self.destination = destination
        self.partial = destination.deletingLastPathComponent().appending(component: ".\(UUID().uuidString).part")
    }

    private var path: String { self.partial.path(percentEncoded: false) }

    /// Creates the file and the directories in its path.
    func open() async throws {
        try await self.executor.run {
            try FileManager.default.createDirectory(
                at: self.partial.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            guard FileManager.default.createFile(atPath: self.path, contents: nil) else {
                throw CocoaError(.fileWriteNoPermission)
            }
            self.handle = try FileHandle(forWritingTo: self.partial)
        }
    }

    func write(_ bytes: [UInt8]) async throws {
        try await self.executor.run { try self.handle?.write(contentsOf: Data(bytes)) }
    }

    /// Replaces the destination.
    func finish() async throws {
        try await self.executor.run {
            try self.handle?.close()
            guard rename(self.path, self.destination.path(percentEncoded: false)) == 0 else {
                throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
            }
        }
    }

    /// Removes the file.
    func discard() async {
        try? await self.executor.run {
            try? self.handle?.close()
            try FileManager.default.removeItem(at: self.partial)
        }
    }
}
