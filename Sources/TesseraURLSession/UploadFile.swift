// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import TesseraOAuth

/// A streamed request body, spooled into a private temporary file; `URLSession` sends files without holding them.
struct UploadFile: Sendable {
    private static let queue = DispatchQueue(label: "tessera.urlsession.upload")

    let url: URL

    /// The file with all that `body` yields, nil when the body is none or made of bytes.
    init?(_ body: HTTPBody?) async throws {
        guard let body, body.bytes == nil else { return nil }
        self.url = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-\(UUID().uuidString)")
        let path = self.url.path
        do {
            let file = try await Self.blocking {
                guard
                    FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
                    let file = FileHandle(forWritingAtPath: path)
                else { throw CocoaError(.fileWriteUnknown) }
                return file
            }
            for try await chunk in body {
                try await Self.blocking { try file.write(contentsOf: Data(chunk)) }
            }
            try await Self.blocking { try file.close() }
        } catch {
            self.remove()
            throw error
        }
    }

    func remove() {
        let url = self.url
        Self.queue.async { try? FileManager.default.removeItem(at: url) }
    }

    private static func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
