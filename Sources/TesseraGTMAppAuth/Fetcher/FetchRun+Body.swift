// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraSupport

/// The request body of an attempt.
extension FetchRun {
    /// Returns the body that the app set, or that of the request itself.
    ///
    /// - Throws: An error in `NSCocoaErrorDomain` if a file cannot be read.
    func body(of request: URLRequest) async throws -> HTTPBody? {
        let state = self.state
        let body: HTTPBody?
        if let data = state.bodyData {
            body = HTTPBody(Array(data))
        } else if let file = state.bodyFileURL {
            body = try await Self.body(ofFile: file)
        } else if state.bodyStreamProvider != nil {
            body = self.providedBody
        } else if let stream = request.httpBodyStream {
            guard stream.streamStatus == .notOpen else {
                throw NSError.fetcher(.downloadFailed, "The body stream was already read. Set bodyStreamProvider.")
            }
            let source = BodyStream(stream)
            body = HTTPBody(length: nil, isReplayable: false) { { @concurrent in try await source.next() } }
        } else {
            body = request.httpBody.map { HTTPBody(Array($0)) }
        }
        guard let body, state.sendProgressBlock != nil else { return body }
        return self.counting(body)
    }

    static func body(ofFile file: URL) async throws -> HTTPBody {
        do {
            return try await HTTPBody(file: file.path(percentEncoded: false))
        } catch let error as FileError {
            let isMissing = !FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
            throw CocoaError(
                isMissing ? .fileReadNoSuchFile : .fileReadUnknown,
                userInfo: [NSUnderlyingErrorKey: error, NSURLErrorKey: file]
            )
        }
    }

    /// The body from the app's provider, which supplies a stream each time the body is sent.
    private var providedBody: HTTPBody {
        HTTPBody(length: nil, isReplayable: true) {
            var current: BodyStream?
            return { @concurrent in
                if let current { return try await current.next() }
                let stream: BodyStream? = await self.ask(otherwise: nil) { state, decide in
                    state.bodyStreamProvider? { decide(BodyStream($0)) }
                }
                guard let stream else {
                    throw NSError.fetcher(.downloadFailed, "The body stream provider gave no stream.")
                }
                current = stream
                return try await stream.next()
            }
        }
    }

    /// Returns a body that reports the progress of sending it.
    private func counting(_ body: HTTPBody) -> HTTPBody {
        let expected = body.length.map { $0 + self.laterLength } ?? -1
        return HTTPBody(length: body.length, isReplayable: body.isReplayable) {
            var iterator = body.makeAsyncIterator()
            var total = Int64(0)
            return { @concurrent in
                guard let chunk = try await iterator.next() else { return nil }
                total += Int64(chunk.count)
                let (count, sum) = (Int64(chunk.count), total)
                await self.call { $0.sendProgressBlock?(count, sum, expected) }
                return chunk
            }
        }
    }
}

/// A request body from an input stream, which can block the thread that reads it.
///
/// The conformance to `Sendable` is `@unchecked` because `InputStream` is not `Sendable`. It is safe because the stream
/// is used only on a private serial queue.
private final class BodyStream: @unchecked Sendable {
    private static let step = 64 << 10

    private let stream: InputStream
    private let executor = BlockingExecutor()

    init(_ stream: InputStream) { self.stream = stream }

    deinit { self.stream.close() }

    func next() async throws -> [UInt8]? { try await self.executor.run { try self.read() } }

    private func read() throws -> [UInt8]? {
        if self.stream.streamStatus == .notOpen { self.stream.open() }
        var bytes = [UInt8](repeating: 0, count: Self.step)
        let count = self.stream.read(&bytes, maxLength: bytes.count)
        guard count >= 0 else { throw self.stream.streamError ?? CocoaError(.fileReadUnknown) }
        return count == 0 ? nil : Array(bytes.prefix(count))
    }
}
