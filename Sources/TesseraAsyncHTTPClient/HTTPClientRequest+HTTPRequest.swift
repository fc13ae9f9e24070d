// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import AsyncHTTPClient
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import TesseraOAuth

extension HTTPHeaders {
    init(_ fields: HTTPFields) { self.init(fields.map { ($0.name.rawName, $0.value) }) }
}

extension HTTPMethod {
    init(_ method: HTTPRequest.Method) {
        self = method.rawValue == "GET" ? .GET : HTTPMethod(rawValue: method.rawValue)
    }
}

extension HTTPBody {
    /// The maximum number of bytes to send at once.
    private static let partSize = 256 << 10

    /// Whether the body is a stream, or so large that its progress must be known.
    var isSentInParts: Bool { self.bytes.map { $0.count > Self.partSize } ?? true }

    /// The body as a stream of small parts, if it consists of bytes, or the body itself.
    fileprivate var parts: HTTPBody {
        guard let bytes = self.bytes else { return self }
        return HTTPBody(length: self.length, isReplayable: true) {
            var rest = bytes[...]
            return {
                let part = rest.prefix(Self.partSize)
                rest = rest.dropFirst(part.count)
                return part.isEmpty ? nil : Array(part)
            }
        }
    }
}

extension HTTPClientRequest.Body {
    init(parts body: HTTPBody, _ limit: UploadLimit) {
        let length = body.length.map { HTTPClientRequest.Body.Length.known($0) } ?? .unknown
        self = .stream(RequestBodyChunks(body: body.parts, limit: limit), length: length)
    }
}

/// The chunks of a streamed request body.
private struct RequestBodyChunks: AsyncSequence, Sendable {
    let body: HTTPBody
    let limit: UploadLimit

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self.body.makeAsyncIterator(), limit: self.limit) }

    struct Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBody.AsyncIterator
        private let limit: UploadLimit
        /// The last two chunks.
        ///
        /// By the time a third chunk is requested, the first one has usually been written, so its memory can be reused.
        private var buffers = (ByteBuffer(), ByteBuffer())
        /// The number of consecutive chunks that were requested before the previous chunk was written.
        private var ahead = 0
        /// The maximum number of such chunks before pausing.
        ///
        /// async-http-client requests chunks until the connection's thread applies backpressure, but a thread that is
        /// not scheduled cannot do that.
        private static let mostAhead = 6

        init(chunks: HTTPBody.AsyncIterator, limit: UploadLimit) { (self.chunks, self.limit) = (chunks, limit) }

        mutating func next() async throws -> ByteBuffer? {
            self.limit.waitForSource()
            defer { self.limit.waitForServer() }
            do {
                guard let chunk = try await self.chunks.next() else { return nil }
                self.buffers = (self.buffers.1, self.buffers.0)
                self.ahead = self.buffers.0.clearInPlace() ? 0 : self.ahead + 1
                if self.ahead > Self.mostAhead { try await Task.sleep(for: .milliseconds(1)) }
                self.buffers.0.writeBytes(chunk)
                return self.buffers.0
            } catch {
                throw RequestBodyFailure(underlying: error)
            }
        }
    }
}

extension ByteBuffer {
    /// Clears the buffer and returns whether its memory was reused, which is not possible while the memory is shared.
    fileprivate mutating func clearInPlace() -> Bool {
        let memory = self.withVeryUnsafeBytes { $0.baseAddress }
        self.clear()
        return memory == self.withVeryUnsafeBytes { $0.baseAddress }
    }
}

/// A wrapper for an error from the request's body, so that it reaches the caller unchanged.
struct RequestBodyFailure: Error {
    let underlying: any Error
}
#endif
