// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Redirects to other origins")
struct RedirectTests {
    private static let store = "https://files.example/blob"

    private static func request(_ url: String) throws -> HTTPRequest {
        try HTTPRequest(
            url: url,
            headerFields: [.accept: "image/png", .range: "bytes=5-", .cookie: "a=b", .authorization: "Basic mine"]
        )
    }

    @Test(
        "Follows redirects to other origins without credentials, and never sends the token again",
        .covers(60, 120)
    )
    func stripped() async throws {
        let network = ScriptedTransport([
            .status(.found, headerFields: [.location: Self.store]),
            .status(.temporaryRedirect, headerFields: [.location: "/moved"]),
            .status(.seeOther, headerFields: [.location: "https://api.example/back"]), .json("{}"),
        ])
        let fetcher = AuthorizedFetcher(
            try ScriptedSource(),
            transport: network,
            settings: FetchSettings(redirects: .anywhere)
        )
        let (response, _) = try await fetcher.send(Self.request("https://api.example/a"))
        #expect(response.status == .ok)
        #expect(
            network.requests.map(\.url) == [
                "https://api.example/a", Self.store, "https://files.example/moved", "https://api.example/back",
            ]
        )
        #expect(network.requests[0].head.headerFields[.authorization] == "Bearer token-1")
        for request in network.requests[1...] {
            #expect(Set(request.head.headerFields.map(\.name)) == [.accept, .range], "\(request.url)")
        }
    }

    @Test("Requests no new token when another origin rejects a call")
    func foreignRefusal() async throws {
        let network = ScriptedTransport([
            .status(.found, headerFields: [.location: Self.store]), .status(.unauthorized),
        ])
        let source = try ScriptedSource()
        let fetcher = AuthorizedFetcher(source, transport: network, settings: FetchSettings(redirects: .anywhere))
        #expect(try await fetcher.send(Self.request("https://api.example/a")).0.status == .unauthorized)
        #expect(source.journal == ["token"])
    }

    @Test(
        "Follows redirects only to absolute HTTPS URLs without user info, for GET and HEAD",
        arguments: ["http://files.example/", "https://a@files.example/", "ftp://files.example/", "//files.example/"]
    )
    func refused(_ location: String) async throws {
        let network = ScriptedTransport { _ in .status(.found, headerFields: [.location: location]) }
        let settings = FetchSettings(redirects: .anywhere)
        let fetcher = AuthorizedFetcher(try ScriptedSource(), transport: network, settings: settings)
        #expect(try await fetcher.send(Self.request("https://api.example/a")).0.status == .found)
        let posting = ScriptedTransport { _ in .status(.permanentRedirect, headerFields: [.location: Self.store]) }
        let poster = AuthorizedFetcher(try ScriptedSource(), transport: posting, settings: settings)
        _ = try await poster.send(HTTPRequest(method: .post, url: "https://api.example/a"), body: HTTPBody("x"))
        #expect(network.requests.count == 1)
        #expect(posting.requests.count == 1)
    }
}
