// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Responses with many parameters")
struct ManyParametersTests {
    @Test(
        "Parses a registration with 60,000 members in linear time",
        .covers(160),
        .timeLimit(.minutes(1))
    )
    func registration() throws {
        let members = (0..<60_000).map { "\"m\($0)\":1" }.joined(separator: ",")
        let endpoint = try Endpoint("https://as.example/register", name: "registration_endpoint")
        let registration = try RegistrationRequest.register(ClientMetadata(), at: endpoint)
            .decode(Example.json(.created), body: Array("{\"client_id\":\"new\",\(members)}".utf8))
        #expect(registration.metadata.members.count == 60_000)
        #expect(registration.metadata["m59999"] != nil)
    }

    /// Returns a query with `state`, `error` and enough other parameters for a total of `count`.
    private static func query(_ count: Int) -> String {
        (["state=STATE", "error=access_denied"] + (2..<count).map { "p\($0)=a\(10_000_000 + $0)" })
            .joined(separator: "&")
    }

    @Test(
        "Rejects a redirect with more than 100 parameters in each response mode",
        .covers(162),
        arguments: [(100, "OAuthError access_denied"), (101, "mismatch: redirect.format")],
        [ResponseMode.query, .fragment, .formPost]
    )
    func redirect(_ limit: (count: Int, expected: String), _ mode: ResponseMode) throws {
        let pending = try Example.pending { request in
            request.responseMode = mode
            if mode == .fragment { request.responseType = .codeIDToken }
        }
        let query = Self.query(limit.count).replacing("STATE", with: pending.sent("state").first ?? "")
        let uri = pending.request.redirectURI.uri
        let delivered: DeliveredResponse =
            switch mode {
            case .formPost: .formPost(to: uri, body: query)
            case .fragment: .redirect("\(uri)#\(query)")
            default: .redirect("\(uri)?\(query)")
            }
        #expect(pending.result(of: delivered) == limit.expected)
    }

    @Test(
        "Rejects a logout redirect with more than 100 parameters",
        .covers(162),
        arguments: [(100, "OAuthError access_denied"), (101, "mismatch: redirect.format")]
    )
    func logout(_ count: Int, _ expected: String) throws {
        let client = RegisteredClient(
            Example.client,
            metadata: try Example.metadata(["end_session_endpoint": "\"https://as.example/logout\""]),
            runtime: .testing(transport: ScriptedTransport([]))
        )
        let redirectURI = try RedirectURI(Example.redirectURI)
        let request = EndSessionRequest(idTokenHint: nil, postLogoutRedirectURI: redirectURI)
        let pending = try PendingLogout(request, by: client)
        let sent = FormParameter.parse(String(pending.logoutURL.drop { $0 != "?" }.dropFirst()))
        let state = sent.first { $0.name == "state" }?.value ?? ""
        let query = Self.query(count).replacing("STATE", with: state)
        #expect(pending.result(of: .redirect("\(redirectURI.uri)?\(query)")) == expected)
    }

    @Test(
        "Truncates a long error description without exposing part of a secret",
        .covers(162)
    )
    func longDescription() throws {
        let pending = try Example.pending()
        let state = try #require(pending.sent("state").first)
        let text = String(repeating: "a", count: 980) + state + String(repeating: "a", count: 30_000)
        let error = #expect(throws: OAuthError.self) {
            try pending.response("state=STATE&error=access_denied&error_description=\(text)")
        }
        let description = try #require(error?.serverDescription)
        #expect(description.count < 1_100)
        #expect(description.hasPrefix("aaaaaaaa"))
        #expect(!description.contains(state.prefix(8)))
    }
}
