// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import AsyncHTTPClient
internal import NIOCore
internal import TesseraSupport
internal import TesseraOAuth

/// A response body that retains the connection pool while it is being read.
final class ResponseBody: HTTPBodySource {
    private let body: HTTPClientResponse.Body
    private let pool: ConnectionPool
    /// The limit of a request that may not have been sent completely.
    private let upload: UploadLimit?
    private let host: String
    private let isRead = Mutex(false)

    init(_ body: HTTPClientResponse.Body, from pool: ConnectionPool, _ upload: UploadLimit?, host: String) {
        self.body = body
        self.pool = pool
        self.upload = upload
        self.host = host
    }

    func start() -> HTTPBody.Next {
        guard self.isRead.setOnce() else { return { throw TransportError(.bodyAlreadyRead, host: self.host) } }
        var chunks = self.body.makeAsyncIterator()
        // Use `next()` because `next(isolation:)` requires macOS 15. The closure is concurrent, as `next()` is.
        return { @concurrent in
            do {
                while let chunk = try await chunks.next() {
                    if chunk.readableBytes > 0 { return Array(buffer: chunk) }
                }
                return nil
            } catch {
                throw TransportError.mapping(error, host: self.host)
            }
        }
    }

    func collect(upTo limit: Int) async throws -> [UInt8] {
        guard self.isRead.setOnce() else { throw TransportError(.bodyAlreadyRead, host: self.host) }
        do {
            guard let upload, !upload.hasEnded else { return try await self.collected(upTo: limit) }
            // async-http-client has no timeout for reading until the whole request has been sent.
            return try await upload.apply { try await self.collected(upTo: limit) }
        } catch {
            throw TransportError.mapping(error, host: self.host)
        }
    }

    private func collected(upTo limit: Int) async throws -> [UInt8] {
        var collected: [UInt8] = []
        self.upload?.waitForServer()
        for try await chunk in self.body {
            self.upload?.waitForServer()
            if collected.count + chunk.readableBytes > limit { throw TransportError(.bodyTooLarge) }
            if collected.isEmpty {
                collected = Array(buffer: chunk)
            } else {
                collected.append(contentsOf: chunk.readableBytesView)
            }
        }
        return collected
    }
}
#endif
