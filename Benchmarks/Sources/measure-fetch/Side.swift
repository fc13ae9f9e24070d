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

/// One of those that are compared: a client with connections of its own.
struct Side: Sendable {
    let call: @Sendable () async throws -> Void
    let shutdown: @Sendable () async throws -> Void

    /// Does its call again and again, for a profiler.
    func repeated(_ count: Int) async throws {
        for _ in 0..<count { try await self.call() }
        try await self.shutdown()
    }

    /// A typed client of the Drive API over TesseraFetch, that gets a file's metadata.
    static func typedClient(_ url: String) async throws -> Side {
        let (parts, transport, fetcher) = try await Self.makeFetcher(url)
        let settings = APISettings(rootURL: "\(parts.origin)/")
        let drive = DriveV3(fetcher: fetcher, settings: settings)
        return Side {
            let file = try await drive.files.get(fileId: "small").execute()
            precondition(file.name != nil)
        } shutdown: {
            await transport.shutdown()
        }
    }

    private static func makeFetcher(
        _ url: String
    ) async throws -> (HTTPRequest, AsyncHTTPClientTransport, AuthorizedFetcher) {
        let parts = try HTTPRequest(url: url)
        let transport = AsyncHTTPClientTransport(permitting: .loopbackHTTP)
        let session = try await BenchmarkSession.make(origin: parts.origin, transport: transport)
        return (parts, transport, AuthorizedFetcher(session, transport: transport))
    }

    /// TesseraFetch with a session and Tessera's transport: the request is that of a typed call, to the byte.
    static func fetcher(_ url: String) async throws -> Side {
        let (parts, transport, fetcher) = try await Self.makeFetcher(url)
        return Side {
            let request = HTTPRequest(
                method: .get,
                scheme: parts.scheme,
                authority: parts.authority,
                path: parts.path,
                headerFields: [.accept: "application/json"]
            )
            let bytes = try await fetcher.data(for: request)
            precondition(!bytes.isEmpty)
        } shutdown: {
            await transport.shutdown()
        }
    }

    /// async-http-client itself, set up alike, with the same header.
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
}
