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

extension HTTPClientRequest.Body {
    init(_ body: HTTPBody) {
        if let bytes = body.bytes {
            self = .bytes(ByteBuffer(bytes: bytes))
        } else {
            self = .stream(RequestBodyChunks(body: body), length: body.length.map { .known($0) } ?? .unknown)
        }
    }
}

/// The chunks of a streamed request body.
private struct RequestBodyChunks: AsyncSequence, Sendable {
    let body: HTTPBody

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self.body.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: HTTPBody.AsyncIterator
        /// The last two chunks: when a third is asked for, the first is written, mostly, and its memory is used again.
        private var buffers = (ByteBuffer(), ByteBuffer())
        /// How many times in turn it was not written.
        private var ahead = 0
        /// How often in turn that may be.
        ///
        /// async-http-client asks for chunks until a connection's thread says that it has
        /// enough; a thread that does not run, since others do, says nothing.
        private static let mostAhead = 6

        init(chunks: HTTPBody.AsyncIterator) { self.chunks = chunks }

        mutating func next() async throws -> ByteBuffer? {
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
    /// Empties it; false where somebody else still has the bytes, so that there is new memory now.
    fileprivate mutating func clearInPlace() -> Bool {
        let memory = self.withVeryUnsafeBytes { $0.baseAddress }
        self.clear()
        return memory == self.withVeryUnsafeBytes { $0.baseAddress }
    }
}

/// Marks what the request's body threw, so that it reaches the caller as it is.
struct RequestBodyFailure: Error {
    let underlying: any Error
}
#endif
