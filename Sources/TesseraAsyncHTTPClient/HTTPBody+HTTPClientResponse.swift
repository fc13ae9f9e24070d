// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient
internal import AsyncHTTPClient
internal import NIOCore
internal import Synchronization
internal import TesseraOAuth

extension HTTPBody {
    /// A response's body: a stream that can be read once.
    init(_ body: HTTPClientResponse.Body, length: Int64?, from pool: ConnectionPool, host: String) {
        let stream = ResponseStream(body: body, pool: pool, host: host)
        self.init(length: length, isReplayable: false) { stream.start() }
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
                    if chunk.readableBytes > 0 { return Array(buffer: chunk) }
                }
                return nil
            } catch {
                throw TransportError.mapping(error, host: self.host)
            }
        }
    }
}
#endif
