// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

@Suite("First requests of uploads, as in GTMSessionFetcher")
struct UploadStartOriginalTests {
    @Test(
        "Announces the type and the length of the data",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, single chunk")
    )
    func announcement() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let server = UploadServer(program)
            #expect(await server.fetcher().end().error == nil)
            let start = try #require(server.starts.first)
            #expect(start.upload("Protocol") == "resumable")
            #expect(start.upload("Command") == "start")
            #expect(start.upload("Content-Type") == "text/plain")
            #expect(start.upload("Content-Length") == "199000")
        }
    }

    @Test(
        "Sends POST instead of GET",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, first request"),
        arguments: [("GET", HTTPRequest.Method.post), ("PUT", .put), ("PATCH", .patch)]
    )
    func method(_ own: String, _ sent: HTTPRequest.Method) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.request?.httpMethod = own
            #expect(await fetcher.end().error == nil)
            #expect(server.starts.map(\.head.method) == [sent])
        }
    }

    @Test(
        "Adds a suffix to the User-Agent of all requests",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, user agent"),
        arguments: ["UploadTest", nil]
    )
    func userAgent(_ own: String?) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let service = GTMSessionFetcherService()
            service.userAgent = own
            #expect(await server.fetcher(service).end().error == nil)
            let agent = (own ?? GTMFetcherStandardUserAgentString(nil)) + " (GTMSUF/1)"
            let agents = (server.starts + server.requests).map { $0.head.headerFields[.userAgent] }
            #expect(agents == [agent, agent, agent, agent])
        }
    }

    @Test(
        "Authorizes only the first request",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, uploadFetcherWithProperties:isQueryFetch:")
    )
    func authorization() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.authorizer = FixedAuthorizer()
            #expect(await fetcher.end().error == nil)
            #expect(server.starts.map { $0.head.headerFields[.authorization] } == ["Own token"])
            #expect(server.requests.map { $0.head.headerFields[.authorization] } == [nil, nil, nil])
        }
    }

    @Test(
        "Fails with 501 if the first response has no upload URL or a status other than active",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, first response"),
        arguments: [
            ("active", nil), ("final", UploadServer.location.absoluteString),
            ("cancelled", UploadServer.location.absoluteString), (nil, nil),
        ] as [(String?, String?)]
    )
    func noLocation(_ status: String?, _ location: String?) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let values = location.map { ["URL": $0] } ?? [:]
            let server = UploadServer(program, begin: .upload(status, values, text: "no"))
            let fetcher = server.fetcher()
            let end = await fetcher.end()
            #expect(end.domain == kGTMSessionFetcherStatusDomain)
            #expect(end.code == 501)
            let error = try #require(end.error) as NSError
            #expect(error.userInfo[kGTMSessionFetcherStatusDataKey] as? Data == Data("no".utf8))
            #expect(server.requests.isEmpty)
            #expect(fetcher.uploadLocationURL == nil)
        }
    }

    @Test(
        "Accepts a first response with an upload URL and without a status",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, first response")
    )
    func noStatus() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program, begin: .upload(nil, ["URL": UploadServer.location.absoluteString]))
            #expect(await server.fetcher().end().text == "done")
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Reports the error of the first request and sends no chunk",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, missing file at the server")
    )
    func failure() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program, begin: .upload(nil, status: .notFound, text: "missing"))
            let end = await server.fetcher().end()
            #expect(end.data == nil)
            #expect(end.domain == kGTMSessionFetcherStatusDomain)
            #expect(end.code == 404)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "Retries the first request, then sends the chunks",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, first request retried")
    )
    func retry() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            program.network.intercept(UploadServer.start) { _ in
                server.starts.count == 1
                    ? .status(.serviceUnavailable)
                    : .upload("active", ["URL": UploadServer.location.absoluteString])
            }
            let fetcher = server.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.minRetryInterval = 1
            async let end = fetcher.end()
            await server.elapse(1)
            #expect(await end.text == "done")
            #expect(server.starts.count == 2)
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Refuses to send data over http",
        .original("GTMSessionFetcher GTMSessionFetcher.h, allowedInsecureSchemes"),
        arguments: ["http://api.example/upload/session", "/upload/session"]
    )
    func insecure(_ location: String) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program, begin: .upload("active", ["URL": location]))
            let end = await server.fetcher().end()
            #expect(end.domain == kGTMSessionFetcherErrorDomain)
            #expect(server.requests.isEmpty)
        }
    }
}

/// An authorizer that adds the same header to all requests.
private final class FixedAuthorizer: GTMSessionFetcherAuthorizer {
    var userEmail: String? { nil }

    func authorizeRequest(
        _ request: NSMutableURLRequest?,
        completionHandler handler: @escaping ((any Error)?) -> Void
    ) {
        request?.setValue("Own token", forHTTPHeaderField: "Authorization")
        handler(nil)
    }

    func stopAuthorization() {}
    func stopAuthorization(for request: URLRequest) {}
    func isAuthorizingRequest(_ request: URLRequest) -> Bool { false }
    func isAuthorizedRequest(_ request: URLRequest) -> Bool { false }
}
