// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient
internal import AsyncHTTPClient
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization
internal import TesseraOAuth

extension HTTPBody {
    /// The response's body: a stream that can be read once, or no bytes, read to the end so that the connection is free.
    init(
        _ response: HTTPClientResponse,
        to method: HTTPRequest.Method,
        from pool: ConnectionPool,
        host: String
    ) async throws {
        let length = Self.length(of: response, to: method)
        if length == 0 {
            for try await _ in response.body {}
            self.init([])
            return
        }
        let stream = ResponseStream(body: response.body, pool: pool, host: host)
        self.init(length: length, isReplayable: false) { stream.start() }
    }

    /// RFC 9112, section 6.3: neither an answer to HEAD nor 204 or 304 has a body, whatever their fields say.
    private static func length(of response: HTTPClientResponse, to method: HTTPRequest.Method) -> Int64? {
        if method == .head || response.status == .noContent || response.status == .notModified { return 0 }
        guard let text = response.headers.first(name: "content-length"),
            !response.headers.contains(name: "transfer-encoding")
        else { return nil }
        return Int64(text)
    }
}

/// The stream of one response's body, with what must live as long as it is read.
private final class ResponseStream: Sendable {
    private let body: HTTPClientResponse.Body
    private let pool: ConnectionPool
    private let host: String
    private let isStarted = Atomic(false)

    init(body: HTTPClientResponse.Body, pool: ConnectionPool, host: String) {
        self.body = body
        self.pool = pool
        self.host = host
    }

    func start() -> HTTPBody.Next {
        if self.isStarted.exchange(true, ordering: .relaxed) {
            return { throw TransportError(.bodyAlreadyRead, host: self.host) }
        }
        var chunks = self.body.makeAsyncIterator()
        return {
            do {
                while let chunk = try await chunks.next(isolation: #isolation) {
                    if chunk.readableBytes > 0 { return Array(chunk.readableBytesView) }
                }
                return nil
            } catch {
                throw TransportError.mapping(error, host: self.host)
            }
        }
    }
}
#endif
