// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import AsyncHTTPClient
internal import BenchmarkSession
internal import GoogleDriveV3
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Tessera
internal import TesseraAsyncHTTPClient
internal import TesseraFetch
internal import TesseraOAuth

/// One side of a comparison: a client with its own connections.
struct Side: Sendable {
    let call: @Sendable () async throws -> Void
    let shutdown: @Sendable () async throws -> Void

    /// Repeats the call, for a profiler.
    func repeated(_ count: Int) async throws {
        for _ in 0..<count { try await self.call() }
        try await self.shutdown()
    }

    /// Creates a side that gets a file's metadata with a typed client of the Drive API over TesseraFetch.
    static func typedClient(_ url: String) async throws -> Side {
        let transport = AsyncHTTPClientTransport(insecure: .loopbackHTTP)
        let (parts, fetcher) = try await Self.makeFetcher(url, over: transport)
        let settings = APISettings(rootURL: "\(parts.origin)/")
        let drive = DriveV3(fetcher: fetcher, settings: settings)
        return Side {
            let file = try await drive.files.get(fileId: "small").execute()
            precondition(file.name != nil)
        } shutdown: {
            await transport.shutdown()
        }
    }

    /// Creates a side that uses TesseraFetch with a session over async-http-client.
    static func fetcher(_ url: String) async throws -> Side {
        let transport = AsyncHTTPClientTransport(insecure: .loopbackHTTP)
        return try await Self.fetcher(url, over: transport) { await transport.shutdown() }
    }

    /// Creates a side that uses TesseraFetch with a session and sends exactly the request of a typed call.
    static func fetcher(
        _ url: String,
        over transport: any HTTPTransport,
        shutdown: @escaping @Sendable () async throws -> Void
    ) async throws -> Side {
        let (parts, fetcher) = try await Self.makeFetcher(url, over: transport)
        return Side {
            let bytes = try await fetcher.data(for: parts.request)
            precondition(!bytes.isEmpty)
        } shutdown: {
            try await shutdown()
        }
    }

    private static func makeFetcher(
        _ url: String,
        over transport: any HTTPTransport
    ) async throws -> (HTTPRequest, AuthorizedFetcher) {
        let parts = try HTTPRequest(url: url)
        let session = try await BenchmarkSession.make(origin: parts.origin, transport: transport)
        return (parts, AuthorizedFetcher(session, transport: transport))
    }

    /// Creates a side that uses a transport directly, with the same header.
    static func transport(
        _ url: String,
        _ transport: any HTTPTransport,
        shutdown: @escaping @Sendable () async throws -> Void
    ) throws -> Side {
        let parts = try HTTPRequest(url: url)
        return Side {
            var request = parts.request
            request.headerFields[.authorization] = BenchmarkSession.authorization
            let (response, body) = try await transport.send(request, body: nil)
            let bytes = try await body.collect(upTo: 16 << 20)
            precondition(response.status == .ok && !bytes.isEmpty)
        } shutdown: {
            try await shutdown()
        }
    }

    /// Creates a side that uses async-http-client directly, with an equivalent configuration and the same header.
    static func asyncHTTPClient(_ url: String) -> Side {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(10), read: .seconds(30), write: .seconds(30))
        )
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 128
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.tracing.tracer = nil
        let client = HTTPClient(configuration: configuration)
        let authorization = BenchmarkSession.authorization
        return Side {
            var request = HTTPClientRequest(url: url)
            request.headers.add(name: "Authorization", value: authorization)
            let response = try await client.execute(request, deadline: .distantFuture)
            let bytes = try await response.body.collect(upTo: 16 << 20)
            precondition(response.status == .ok && bytes.readableBytes > 0)
        } shutdown: {
            try await client.shutdown()
        }
    }
}

extension HTTPRequest {
    fileprivate var origin: String { "\(self.scheme ?? "")://\(self.authority ?? "")" }

    /// A new request for each call.
    fileprivate var request: HTTPRequest {
        HTTPRequest(
            method: .get,
            scheme: self.scheme,
            authority: self.authority,
            path: self.path,
            headerFields: [.accept: "application/json"]
        )
    }
}
