// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// Where an upload's bytes come from.
public struct UploadSource: Sendable {
    enum Storage: Sendable {
        case bytes([UInt8])
        case file(String)
        case body(HTTPBody)
    }

    let storage: Storage

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8]) -> UploadSource { UploadSource(storage: .bytes(bytes)) }

    /// A regular file, read while it is sent.
    ///
    /// It must not change meanwhile: an upload of a file that did ends with ``FileFailure`` `changed`, and one that was
    /// interrupted begins anew.
    public static func file(_ path: String) -> UploadSource { UploadSource(storage: .file(path)) }

    /// Chunks as they come, of a length that need not be known.
    ///
    /// As much of it is kept in memory as a server may ask for again: a piece, whose size ``Upload/pieceSize`` says. Another
    /// program can go on with the upload only where the sequence begins with the same bytes again; those that the server
    /// has are skipped then.
    public static func sequence<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        length: Int64? = nil
    ) -> UploadSource where Chunks.Element == [UInt8] {
        UploadSource(
            storage: .body(
                HTTPBody(length: length, isReplayable: false) {
                    var iterator = chunks.makeAsyncIterator()
                    // Concurrent as `next()` is: `next(isolation:)` requires iOS 18 and macOS 15.
                    return { @concurrent in
                        while let chunk = try await iterator.next() {
                            if !chunk.isEmpty { return chunk }
                        }
                        return nil
                    }
                }
            )
        )
    }

    /// What can be read once, or again, as the body says.
    public static func body(_ body: HTTPBody) -> UploadSource {
        UploadSource(storage: body.bytes.map { .bytes($0) } ?? .body(body))
    }
}
