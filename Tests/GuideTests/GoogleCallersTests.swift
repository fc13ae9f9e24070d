// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Guide for verifying ID tokens")
struct GoogleCallersTests {
    private let key: JWSSigningKey
    private let proxyKey: JWSSigningKey

    init() throws {
        self.key = try JWSSigningKey.generate(.rs256)
        self.proxyKey = try JWSSigningKey.generate(.es256)
    }

    private var runtime: OAuthRuntime {
        let keys = JSONNode.object([JSONMember(name: "keys", value: [self.key.publicJWK, self.proxyKey.publicJWK])])
        return .testing(transport: ScriptedTransport { _ in .json(keys.text()) })
    }

    private static func claims(_ claims: JSONNode) -> [UInt8] {
        let times: [JSONMember] = [
            JSONMember(name: "iat", value: 1_700_000_000), JSONMember(name: "exp", value: 1_700_003_600),
        ]
        return JSONNode.object((claims.members ?? []) + times).serialized()
    }

    private static func request(_ field: HTTPField.Name, _ value: String?) -> HTTPRequest {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "service.example", path: "/")
        request.headerFields[field] = value
        return request
    }

    private func bearer(_ claims: JSONNode) throws -> HTTPRequest {
        Self.request(.authorization, "Bearer " + (try self.key.sign(payload: Self.claims(claims), type: "JWT")))
    }

    private func googleRequest(_ audience: String, _ email: String) throws -> HTTPRequest {
        try self.bearer([
            "iss": "https://accounts.google.com", "aud": .string(audience), "sub": "1", "azp": "1",
            "email": .string(email), "email_verified": true,
        ])
    }

    @Test("Accepts permitted service accounts only")
    func service() async throws {
        let (url, robot) = ("https://reports.run.app", "robot@my-project.iam.gserviceaccount.com")
        let service = try ReportsService(url: url, callers: [robot], runtime: self.runtime)
        #expect(try await service.caller(of: self.googleRequest(url, robot)) == robot)
        #expect(try await service.caller(of: self.googleRequest(url, "other@example.com")) == nil)
        let error = await #expect(throws: ProtocolViolationError.self) {
            try await service.caller(of: self.googleRequest("https://other.run.app", robot))
        }
        let response = rejection(for: try #require(error))
        #expect(response.status == .unauthorized)
        #expect(response.headerFields[.wwwAuthenticate]?.contains("jwt.audience") == true)
        await #expect(throws: AccessTokenError.noToken) {
            try await service.caller(of: Self.request(.authorization, nil))
        }
        #expect(rejection(for: TransportError(.cannotConnect)).status == .serviceUnavailable)
    }

    @Test("Accepts push requests of one service account")
    func push() async throws {
        let endpoint = try OrdersEndpoint(runtime: self.runtime)
        let audience = "https://orders.example.com/push"
        try await endpoint.check(self.googleRequest(audience, "push@my-project.iam.gserviceaccount.com"))
        await #expect(throws: ProtocolViolationError.self) {
            try await endpoint.check(self.googleRequest(audience, "other@my-project.iam.gserviceaccount.com"))
        }
    }

    @Test("Accepts the assertion of Identity-Aware Proxy")
    func proxy() async throws {
        let audience = "/projects/123/global/backendServices/456"
        let pages = try AdminPages(audience: audience, runtime: self.runtime)
        let field = try #require(HTTPField.Name("x-goog-iap-jwt-assertion"))
        let claims: JSONNode = [
            "iss": "https://cloud.google.com/iap", "aud": .string(audience), "sub": "accounts.google.com:1",
            "email": "ada@example.com",
        ]
        let assertion = try self.proxyKey.sign(payload: Self.claims(claims), type: "JWT")
        #expect(try await pages.user(of: Self.request(field, assertion)).email == "ada@example.com")
        await #expect(throws: AccessTokenError.noToken) { try await pages.user(of: Self.request(field, nil)) }
    }

    @Test("Accepts the users of a Firebase project")
    func firebase() async throws {
        let server = try GameServer(projectID: "my-project", runtime: self.runtime)
        func request(_ project: String) throws -> HTTPRequest {
            try self.bearer([
                "iss": .string("https://securetoken.google.com/\(project)"), "aud": .string(project), "sub": "uid",
                "auth_time": 1_699_999_000,
            ])
        }
        #expect(try await server.player(of: request("my-project")) == "uid")
        await #expect(throws: ProtocolViolationError.self) { try await server.player(of: request("other")) }
    }
}
