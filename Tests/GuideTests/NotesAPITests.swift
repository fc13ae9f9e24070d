// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Guide for protecting an API")
struct NotesAPITests {
    private let issuer = "https://id.example"
    private let key: JWSSigningKey
    private let clock = TestClock()

    init() throws {
        var key = try JWSSigningKey.generate(.es256)
        key.keyID = "key"
        self.key = key
    }

    private func api(keys: String? = nil) async throws -> NotesAPI {
        let keys = keys ?? JSONNode.object([JSONMember(name: "keys", value: .array([self.key.publicJWK]))]).text()
        let (issuer, metadata) = (self.issuer, Self.metadata(of: self.issuer))
        let transport = ScriptedTransport { request in
            .json(request.path == "/keys" ? keys : metadata)
        }
        return try await NotesAPI(
            issuer: try Issuer(issuer),
            audience: "https://api.example",
            runtime: .testing(transport: transport, clock: self.clock)
        )
    }

    private static func metadata(of issuer: String) -> String {
        """
        {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/authorize","token_endpoint":"\(issuer)/token",
        "jwks_uri":"\(issuer)/keys","response_types_supported":["code"],"subject_types_supported":["public"],
        "id_token_signing_alg_values_supported":["ES256"]}
        """
    }

    private func token(audience: String = "https://api.example", lifetime: Int64 = 600) throws -> String {
        let now = Int64(self.clock.date.timeIntervalSince1970)
        let claims: JSONNode = [
            "iss": .string(self.issuer), "aud": .string(audience), "sub": "ada", "client_id": "app", "jti": "1",
            "iat": .integer(now), "exp": .integer(now + lifetime), "scope": "notes.read",
        ]
        return try self.key.sign(payload: claims.serialized(), type: "at+jwt")
    }

    private static func call(_ authorization: String?) -> HTTPRequest {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/notes")
        request.headerFields[.authorization] = authorization
        return request
    }

    /// Returns the status and the challenge of the response, or 200 and the subject.
    private static func result(_ api: NotesAPI, _ authorization: String?, _ scopes: [Scope]) async -> (Int, String?) {
        do {
            return (200, try await api.authorize(Self.call(authorization), scopes: scopes).subject)
        } catch {
            let response = NotesAPI.response(to: error)
            return (response.status.code, response.headerFields[.wwwAuthenticate])
        }
    }

    @Test("Accepts a valid token and rejects others with a challenge")
    func challenges() async throws {
        let api = try await self.api()
        let valid = "Bearer \(try self.token())"
        #expect(await Self.result(api, valid, ["notes.read"]) == (200, "ada"))
        #expect(await Self.result(api, nil, ["notes.read"]) == (401, #"Bearer realm="notes""#))
        let (status, challenge) = await Self.result(api, valid, ["notes.write"])
        #expect(status == 403)
        #expect(challenge?.contains(#"error="insufficient_scope""#) == true)
        for token in [try self.token(audience: "https://other.example"), try self.token(lifetime: -3_600), "x"] {
            let (status, challenge) = await Self.result(api, "Bearer \(token)", ["notes.read"])
            #expect(status == 401)
            #expect(challenge?.contains(#"error="invalid_token""#) == true)
        }
    }

    @Test("Does not blame the caller for the issuer's keys")
    func brokenKeys() async throws {
        let api = try await self.api(keys: #"{"keys":5}"#)
        #expect(await Self.result(api, "Bearer \(try self.token())", []) == (503, nil))
    }
}
