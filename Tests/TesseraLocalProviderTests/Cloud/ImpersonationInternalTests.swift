// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
@testable internal import TesseraLocalProvider
internal import TesseraSupport

@Suite("IAM Credentials API of the local provider")
struct ImpersonationInternalTests {
    @Test("Issues an access token with the requested lifetime, and a token for the new token's principal")
    func accessToken() async throws {
        let cloud = try CloudUnderTest()
        let body = JSONNode.members(["scope": [CloudUnderTest.scope], "lifetime": "600s", "delegates": [String]()])
        let response = await cloud.call("generateAccessToken", body, token: try await cloud.token())
        #expect(response.status == .ok)
        #expect(try response.json["expireTime"]?.string == "2027-01-15T08:10:00Z")
        let token = try #require(try response.json["accessToken"]?.string)
        #expect(try cloud.subject(of: token) == LocalServiceAccount.samples[1].uniqueID)
        let email = CloudUnderTest.worker.replacing("@", with: "%40")
        #expect(await cloud.call("generateAccessToken", of: email, body, token: token).status == .ok)
    }

    static let invalid: [(method: String, body: JSONNode)] = [
        ("generateAccessToken", ["lifetime": "600s"]), ("generateAccessToken", ["scope": []]),
        ("generateAccessToken", ["scope": ["a"], "lifetime": "0s"]),
        ("generateAccessToken", ["scope": ["a"], "lifetime": "43201s"]),
        ("generateAccessToken", ["scope": ["a"], "lifetime": "600"]), ("generateAccessToken", []),
        ("generateIdToken", [:]), ("generateIdToken", ["audience": ""]), ("signBlob", ["payload": "?"]),
        ("signBlob", [:]), ("signJwt", ["payload": "[]"]), ("signJwt", [:]),
        ("signJwt", ["payload": "{\"exp\": 1800043201}"]), ("signJwt", ["payload": "{\"exp\": 1800000000}"]),
    ]

    @Test("Rejects a body with a missing or invalid member", arguments: Self.invalid)
    func bodies(method: String, body: JSONNode) async throws {
        let cloud = try CloudUnderTest()
        let response = await cloud.call(method, body, token: try await cloud.token())
        #expect(response.status == .badRequest)
        #expect(try response.json["error"]?["status"]?.string == "INVALID_ARGUMENT")
    }

    @Test("Issues an ID token, with the email address if requested")
    func idToken() async throws {
        let cloud = try CloudUnderTest()
        let token = try await cloud.token()
        for includesEmail in [true, false] {
            let body = JSONNode.members(["audience": "https://service.example", "includeEmail": includesEmail])
            let response = try await cloud.call("generateIdToken", body, token: token).json
            let claims = try await cloud.claims(response["token"]?.string)
            #expect(claims["aud"]?.string == "https://service.example")
            #expect(claims["email"]?.string == (includesEmail ? CloudUnderTest.robot : nil))
        }
    }

    @Test("Signs bytes with the service account's key")
    func blob() async throws {
        let cloud = try CloudUnderTest()
        let payload = Base64.encode(Array("message".utf8))
        let body = JSONNode.members(["payload": payload, "delegates": JSONNode.null])
        let response = try await cloud.call("signBlob", body, token: try await cloud.token()).json
        #expect(response["keyId"]?.string == cloud.key.keyID)
        let signature = try cloud.key.signature(over: Array("message".utf8))
        #expect(response["signedBlob"]?.string == Base64.encode(signature))
    }

    @Test("Signs a JWT that the token endpoint accepts for a user")
    func jwt() async throws {
        let cloud = try CloudUnderTest()
        let payload = JSONNode.members([
            "iss": CloudUnderTest.robot, "sub": ProviderUnderTest.ada.email, "scope": ProviderUnderTest.drive,
            "aud": "https://oauth2.googleapis.com/token", "iat": CloudUnderTest.now, "exp": CloudUnderTest.now + 3600,
        ])
        let body = JSONNode.members(["payload": payload.text()])
        let token = try await cloud.token()
        let response = try await cloud.call("signJwt", body, token: token).json
        let type = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        let form = ["grant_type": type, "assertion": response["signedJwt"]?.string]
        let granted = try await cloud.post("https://oauth2.googleapis.com/token", form).json
        #expect(try cloud.subject(of: granted["access_token"]?.string) == ProviderUnderTest.ada.subject)
    }

    @Test("Rejects callers that cannot impersonate the account, and chains in which a delegate cannot")
    func permission() async throws {
        let cloud = try CloudUnderTest {
            $0.cloud?.serviceAccounts[1].impersonators = ["other@example.com", CloudUnderTest.robot]
        }
        let token = try await cloud.token()
        func call(_ account: String, _ delegates: [String]) async -> ProviderResponse {
            let body = JSONNode.members(["audience": "a", "delegates": delegates])
            return await cloud.call("generateIdToken", of: account, body, token: token)
        }
        let refusal = await call(CloudUnderTest.robot, [])
        #expect(refusal.status == .forbidden)
        let reason = try refusal.json["error"]?["details"]?.elements?.first?["reason"]?.string
        #expect(reason == "IAM_PERMISSION_DENIED")
        let delegate = "projects/-/serviceAccounts/\(CloudUnderTest.worker)"
        #expect(await call(CloudUnderTest.worker, [delegate]).status == .ok)
        #expect(await call(CloudUnderTest.robot, [delegate]).status == .forbidden)
        #expect(await call("nobody@example.com", []).status == .notFound)
        #expect(await call(CloudUnderTest.worker, ["nobody@example.com"]).status == .notFound)
    }

    @Test("Rejects a request without a token, with an unknown token, or without the scope")
    func authorization() async throws {
        let cloud = try CloudUnderTest()
        let url = CloudUnderTest.iam + CloudUnderTest.robot + ":signJwt"
        let body = ["Content-Type": "application/json"]
        #expect(await cloud.send(.post, url, body, body: "{}").status == .unauthorized)
        #expect(await cloud.call("signJwt", [:], token: "unknown").status == .unauthorized)
        let token = try await cloud.token(["scope": "openid"])
        #expect(await cloud.call("signJwt", [:], token: token).status == .forbidden)
        let fields = ["Authorization": "Bearer \(try await cloud.token())"]
        #expect(await cloud.send(.post, url, fields, body: "{}").status == .badRequest)
        #expect(await cloud.send(.get, url, fields).status == .methodNotAllowed)
    }

    @Test("Returns allowed locations to an authorized caller")
    func locations() async throws {
        let cloud = try CloudUnderTest()
        let fields = ["Authorization": "Bearer \(try await cloud.token())"]
        for path in [
            "projects/-/serviceAccounts/\(CloudUnderTest.robot)", "locations/global/workforcePools/pool",
            "projects/104857600000/locations/global/workloadIdentityPools/pool",
        ] {
            let url = "https://iamcredentials.googleapis.com/v1/\(path)/allowedLocations"
            #expect(try await cloud.send(.get, url, fields).json["encodedLocations"]?.string == "0x10")
            #expect(await cloud.send(.get, url).status == .unauthorized)
        }
    }

    @Test("Returns the project with a number and rejects other numbers")
    func project() async throws {
        let cloud = try CloudUnderTest()
        let fields = ["Authorization": "Bearer \(try await cloud.token())"]
        let url = "https://cloudresourcemanager.googleapis.com/v1/projects/"
        let project = try await cloud.send(.get, url + "104857600000", fields).json
        #expect(project["projectId"]?.string == "tessera-local-provider")
        #expect(await cloud.send(.get, url + "1", fields).status == .forbidden)
        #expect(await cloud.send(.get, url + "104857600000").status == .unauthorized)
    }
}
#endif
