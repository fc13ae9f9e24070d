// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import TesseraOAuth

/// A copy of a streamed request body in a private temporary file.
///
/// `URLSession` can send a stream, but it does not check the length, and it requests a second stream if the connection
/// is closed. A file has the correct length and can be sent repeatedly without being held in memory.
struct UploadFile: Sendable {
    private static let queue = DispatchQueue(label: "tessera.urlsession.upload")

    #if canImport(Darwin)
    /// The attributes of the file, which keep it readable if the device is locked during the upload.
    private static var attributes: [FileAttributeKey: Any] {
        [.posixPermissions: 0o600, .protectionKey: FileProtectionType.completeUntilFirstUserAuthentication]
    }
    #else
    private static var attributes: [FileAttributeKey: Any] { [.posixPermissions: 0o600] }
    #endif

    let url: URL

    /// Copies a body's contents, or returns nil if there is no body or it was created from bytes.
    init?(_ body: HTTPBody?, in directory: URL = FileManager.default.temporaryDirectory) async throws {
        guard let body, body.bytes == nil else { return nil }
        self.url = directory.appendingPathComponent("tessera-\(UUID().uuidString)")
        let path = self.url.path
        do {
            let file = try await Self.blocking {
                guard FileManager.default.createFile(atPath: path, contents: nil, attributes: Self.attributes),
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
