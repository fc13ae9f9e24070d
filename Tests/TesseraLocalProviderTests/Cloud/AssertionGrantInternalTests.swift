// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("JWT bearer grant of the local provider")
struct AssertionGrantInternalTests {
    @Test("Issues an access token for a service account's assertion")
    func accessToken() async throws {
        let cloud = try CloudUnderTest()
        let response = try await cloud.grant()
        #expect(response.status == .ok)
        #expect(try response.json["token_type"]?.string == "Bearer")
        #expect(try response.json["expires_in"]?.integer() == 3600)
        let subject = try cloud.subject(of: response.json["access_token"]?.string)
        #expect(subject == LocalServiceAccount.samples[0].uniqueID)
    }

    @Test("Issues an ID token for a target audience")
    func idToken() async throws {
        let cloud = try CloudUnderTest()
        let response = try await cloud.grant(["scope": nil, "target_audience": "https://service.example"])
        let claims = try await cloud.claims(try response.json["id_token"]?.string)
        #expect(claims["iss"]?.string == "https://accounts.google.com")
        #expect(claims["aud"]?.string == "https://service.example")
        #expect(claims["sub"]?.string == LocalServiceAccount.samples[0].uniqueID)
        #expect(claims["email"]?.string == CloudUnderTest.worker)
        #expect(try response.json["access_token"] == nil)
    }

    @Test("Issues a token for a user if the scopes are delegated to the service account")
    func delegation() async throws {
        let drive = ProviderUnderTest.drive
        let cloud = try CloudUnderTest { $0.cloud?.serviceAccounts[0].delegatedScopes = [drive] }
        let user = JSONNode.string(ProviderUnderTest.ada.email)
        let token = try await cloud.token(["sub": user, "scope": .string(drive)])
        let fields = ["Authorization": "Bearer \(token)"]
        let files = await cloud.send(.get, "https://www.googleapis.com/drive/v3/files", fields)
        #expect(try files.json["files"]?.elements?.count == 3)
        #expect(try cloud.subject(of: token) == ProviderUnderTest.ada.subject)
        let refusal = try await cloud.grant(["sub": user])
        #expect(refusal.status == .unauthorized)
        #expect(refusal.errorCode == "unauthorized_client")
        #expect(try await cloud.grant(["sub": "nobody@example.com"]).errorCode == "invalid_grant")
    }

    static let invalid: [(claim: String, value: JSONNode?, code: String)] = [
        ("iss", "nobody@example.com", "invalid_grant"), ("iss", nil, "invalid_grant"),
        ("aud", "https://example.com/token", "invalid_grant"), ("aud", nil, "invalid_grant"),
        ("iat", nil, "invalid_grant"), ("iat", .integer(CloudUnderTest.now + 301), "invalid_grant"),
        ("iat", .integer(CloudUnderTest.now - 1), "invalid_grant"),
        ("exp", nil, "invalid_grant"), ("exp", .integer(CloudUnderTest.now), "invalid_grant"),
        ("exp", .integer(CloudUnderTest.now + 3601), "invalid_grant"), ("exp", "soon", "invalid_grant"),
        ("scope", nil, "invalid_scope"), ("scope", " ", "invalid_scope"),
    ]

    @Test("Rejects an assertion with an invalid claim", arguments: Self.invalid)
    func claims(claim: String, value: JSONNode?, code: String) async throws {
        let response = try await CloudUnderTest().grant([claim: value])
        #expect(response.status == .badRequest)
        #expect(response.errorCode == code)
    }

    @Test("Rejects an assertion that another key signed, and text that is not an assertion")
    func signature() async throws {
        let cloud = try CloudUnderTest()
        var other = try JWSSigningKey.generate(.rs256)
        #expect(try await cloud.grant(key: other).errorCode == "invalid_grant")
        other.keyID = cloud.key.keyID
        #expect(try await cloud.grant(key: other).errorCode == "invalid_grant")
        for assertion in ["x", nil] {
            let type = "urn:ietf:params:oauth:grant-type:jwt-bearer"
            let form = ["grant_type": type, "assertion": assertion]
            let response = await cloud.post("https://oauth2.googleapis.com/token", form)
            #expect(response.errorCode == (assertion == nil ? "invalid_request" : "invalid_grant"))
        }
    }

    @Test("Rejects the grant without cloud endpoints")
    func noCloud() async throws {
        var provider = try ProviderUnderTest()
        let form = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", "x")]
        let client = [("client_id", provider.client.id), ("client_secret", provider.client.secret)]
        #expect(provider.post("/token", form + client).errorCode == "unsupported_grant_type")
    }

    @Test("Accepts a self-signed JWT as an access token")
    func selfSigned() async throws {
        let cloud = try CloudUnderTest()
        let body = JSONNode.members(["audience": "a"])
        let (subject, audience) = (JSONNode.string(CloudUnderTest.worker), "https://iamcredentials.googleapis.com/")
        let accepted: [[String: JSONNode?]] = [
            ["sub": subject, "aud": nil], ["sub": subject, "aud": .string(audience), "scope": nil],
        ]
        for claims in accepted {
            let token = try cloud.assertion(claims)
            #expect(await cloud.call("generateIdToken", body, token: token).status == .ok)
        }
        let rejected: [[String: JSONNode?]] = [
            [:], ["sub": subject, "aud": nil, "scope": nil],
            ["sub": subject, "exp": .integer(CloudUnderTest.now)],
        ]
        for claims in rejected {
            let token = try cloud.assertion(claims)
            #expect(await cloud.call("generateIdToken", body, token: token).status == .unauthorized)
        }
    }

    @Test("Refreshes the token of an authorized user and requires reauthentication for a special one")
    func authorizedUser() async throws {
        let cloud = try CloudUnderTest()
        let client = LocalProviderClient.desktop
        func refresh(_ token: String, secret: String = client.secret) async -> ProviderResponse {
            await cloud.post(
                "https://oauth2.googleapis.com/token",
                [
                    "grant_type": "refresh_token", "refresh_token": token, "client_id": client.id,
                    "client_secret": secret,
                ]
            )
        }
        let response = await refresh("1//local-provider-user")
        #expect(response.status == .ok)
        #expect(try cloud.subject(of: try response.json["access_token"]?.string) == ProviderUnderTest.ada.subject)
        let refusal = await refresh("1//local-provider-reauthentication")
        #expect(refusal.errorCode == "invalid_grant")
        #expect(try refusal.json["error_subtype"]?.string == "invalid_rapt")
        #expect(await refresh("1//unknown").errorCode == "invalid_grant")
        #expect(await refresh("1//local-provider-user", secret: "wrong").errorCode == "invalid_client")
    }
}
#endif
