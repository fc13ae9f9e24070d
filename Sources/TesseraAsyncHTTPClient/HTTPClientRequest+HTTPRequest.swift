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
    /// Whether the body is a stream, or so large that its progress must be known.
    var isSentInParts: Bool { self.bytes.map { $0.count > RequestBodyParts.size } ?? true }
}

extension HTTPClientRequest.Body {
    init(parts body: HTTPBody, _ limit: UploadLimit) {
        let length = body.length.map { HTTPClientRequest.Body.Length.known($0) } ?? .unknown
        self = .stream(RequestBodyParts(body: body, limit: limit), length: length)
    }
}

/// The parts of a request body, each of which is so small that its progress is known.
private struct RequestBodyParts: AsyncSequence, Sendable {
    /// The maximum number of bytes in a part.
    static let size = 256 << 10

    let body: HTTPBody
    let limit: UploadLimit

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self.body.makeAsyncIterator(), limit: self.limit) }

    struct Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBody.AsyncIterator
        private let limit: UploadLimit
        /// The rest of the last chunk.
        private var rest: ArraySlice<UInt8> = []
        /// The last two parts.
        ///
        /// By the time a third part is requested, the first one has usually been written, so its memory can be reused.
        private var buffers = (ByteBuffer(), ByteBuffer())
        /// The number of consecutive parts that were requested before the previous part was written.
        private var ahead = 0
        /// The maximum number of such parts before pausing.
        ///
        /// async-http-client requests parts until the connection's thread applies backpressure, but a thread that is
        /// not scheduled cannot do that.
        private static let mostAhead = 6

        init(chunks: HTTPBody.AsyncIterator, limit: UploadLimit) { (self.chunks, self.limit) = (chunks, limit) }

        mutating func next() async throws -> ByteBuffer? {
            defer { self.limit.waitForServer() }
            do {
                while self.rest.isEmpty {
                    self.limit.waitForSource()
                    guard let chunk = try await self.chunks.next() else {
                        self.limit.end()
                        return nil
                    }
                    self.rest = chunk[...]
                }
                self.buffers = (self.buffers.1, self.buffers.0)
                self.ahead = self.buffers.0.clearInPlace() ? 0 : self.ahead + 1
                if self.ahead > Self.mostAhead { try await Task.sleep(for: .milliseconds(1)) }
                let part = self.rest.prefix(RequestBodyParts.size)
                self.rest = self.rest.dropFirst(part.count)
                self.buffers.0.writeBytes(part)
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
