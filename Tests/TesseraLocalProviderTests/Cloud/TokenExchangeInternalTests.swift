// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
@testable internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TesseraSupport

@Suite("Security Token Service of the local provider")
struct TokenExchangeInternalTests {
    static let types = "urn:ietf:params:oauth:token-type:"

    @Test(
        "Exchanges a subject token in Google's and in the configured universe",
        arguments: ["sts.googleapis.com", "sts.mtls.googleapis.com", "sts.example.test", "us-east1-sts.googleapis.com"]
    )
    func exchange(host: String) async throws {
        let cloud = try CloudUnderTest { $0.cloud?.universeDomain = "example.test" }
        let response = await cloud.exchange(url: "https://\(host)/v1/token")
        #expect(response.status == .ok)
        #expect(try response.json["issued_token_type"]?.string == Self.types + "access_token")
        #expect(try response.json["expires_in"]?.integer() == 3600)
        let pool = "projects/104857600000/locations/global/workloadIdentityPools/pool"
        let subject = try cloud.subject(of: try response.json["access_token"]?.string)
        #expect(subject == "principal://iam.googleapis.com/\(pool)/subject/local")
    }

    static let accepted: [[String: String?]] = [
        ["audience": "//iam.googleapis.com/locations/global/workforcePools/pool/providers/oidc"],
        ["subject_token_type": types + "id_token"], ["subject_token_type": types + "saml2"],
        ["subject_token_type": types + "mtls", "subject_token": "[\"TUlJ\"]"],
        ["options": "%7B%22userProject%22%3A%20%22123%22%7D"],
    ]

    @Test("Accepts every type of subject token, workforce pools and options", arguments: Self.accepted)
    func accepts(changes: [String: String?]) async throws {
        #expect(try await CloudUnderTest().exchange(changes).status == .ok)
    }

    static let rejected: [(changes: [String: String?], code: String)] = [
        (["grant_type": "refresh_token"], "unsupported_grant_type"), (["grant_type": nil], "invalid_request"),
        (["audience": nil], "invalid_request"), (["audience": "//iam.googleapis.com/pool"], "invalid_request"),
        (["audience": CloudUnderTest.audience + "/x"], "invalid_request"), (["scope": nil], "invalid_request"),
        (["requested_token_type": types + "id_token"], "invalid_request"),
        (["requested_token_type": nil], "invalid_request"), (["subject_token": nil], "invalid_request"),
        (["subject_token": "wrong"], "invalid_grant"), (["subject_token_type": nil], "invalid_request"),
        (["subject_token_type": types + "other"], "invalid_grant"),
        (["subject_token_type": types + "mtls"], "invalid_grant"),
        (["subject_token_type": "urn:ietf:params:aws:token-type:aws4_request"], "invalid_grant"),
        (["options": "x"], "invalid_request"),
    ]

    @Test("Rejects an exchange with an invalid parameter", arguments: Self.rejected)
    func rejects(changes: [String: String?], code: String) async throws {
        let response = try await CloudUnderTest().exchange(changes)
        #expect(response.status == .badRequest)
        #expect(response.errorCode == code)
    }

    static let boundary = """
        {"accessBoundary": {"accessBoundaryRules": [{"availableResource": "//storage.googleapis.com/projects/_/buckets/b", \
        "availablePermissions": ["inRole:roles/storage.objectViewer"], "availabilityCondition": {"expression": "true"}}]}}
        """

    @Test("Downscopes an access token, with an expiry only for service accounts")
    func downscoping() async throws {
        let cloud = try CloudUnderTest()
        let token = try await cloud.token()
        var changes: [String: String?] = [
            "subject_token_type": Self.types + "access_token", "subject_token": token, "audience": nil,
            "scope": nil, "options": PercentEncoding.encode(Self.boundary),
        ]
        let response = await cloud.exchange(changes)
        #expect(response.status == .ok)
        #expect(try response.json["expires_in"]?.integer() == 3600)
        let narrow = try #require(try response.json["access_token"]?.string)
        #expect(narrow != token)
        #expect(try cloud.subject(of: narrow) == LocalServiceAccount.samples[0].uniqueID)

        let federated = try #require(try await cloud.exchange().json["access_token"]?.string)
        changes["subject_token"] = federated
        #expect(try await cloud.exchange(changes).json["expires_in"] == nil)
        changes["subject_token"] = "unknown"
        #expect(await cloud.exchange(changes).errorCode == "invalid_grant")
        changes["subject_token"] = token
        for options in ["{}", "{\"accessBoundary\": {\"accessBoundaryRules\": [{}]}}"] {
            changes["options"] = PercentEncoding.encode(options)
            #expect(await cloud.exchange(changes).errorCode == "invalid_request")
        }
    }

    /// A request that google-auth signed, without the percent-encoding.
    static func awsRequest(_ authorization: String, audience: String = CloudUnderTest.audience) -> String {
        let headers: KeyValuePairs = [
            "Authorization": authorization, "host": "sts.us-east-2.amazonaws.com", "x-amz-date": "20270115T080000Z",
            "x-amz-security-token": "local-provider-session-token", "x-goog-cloud-target-resource": audience,
        ]
        let request = JSONNode.members([
            "headers": headers.map { JSONNode.members(["key": $0.key, "value": $0.value]) }, "method": "POST",
            "url": "https://sts.us-east-2.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
        ])
        return PercentEncoding.encode(request.text())
    }

    static let authorization = """
        AWS4-HMAC-SHA256 Credential=ASIALOCALPROVIDER000/20270115/us-east-2/sts/aws4_request, \
        SignedHeaders=host;x-amz-date;x-amz-security-token, \
        Signature=4f4d060b183b134b6487a2b78360d8d49dc28cb99e55d089cdc0206177a55491
        """

    @Test("Verifies the signature of a request for GetCallerIdentity")
    func aws() async throws {
        let cloud = try CloudUnderTest()
        let type = "urn:ietf:params:aws:token-type:aws4_request"
        func exchange(_ token: String) async -> ProviderResponse {
            await cloud.exchange(["subject_token_type": type, "subject_token": token])
        }
        #expect(await exchange(Self.awsRequest(Self.authorization)).status == .ok)
        let otherSignature = Self.authorization.dropLast() + "0"
        let otherKey = Self.authorization.replacing("ASIALOCALPROVIDER000", with: "ASIAOTHER")
        for authorization in [String(otherSignature), otherKey] {
            #expect(await exchange(Self.awsRequest(authorization)).errorCode == "invalid_grant")
        }
        let otherAudience = Self.awsRequest(Self.authorization, audience: "//iam.googleapis.com/other")
        #expect(await exchange(otherAudience).errorCode == "invalid_grant")
    }

    @Test("Refreshes and introspects the token of a workforce identity for an authenticated client")
    func workforce() async throws {
        let cloud = try CloudUnderTest()
        let client = LocalProviderClient.desktop
        let basic = ["Authorization": "Basic " + Base64.encode(Array("\(client.id):\(client.secret)".utf8))]
        let form = ["grant_type": "refresh_token", "refresh_token": "local-provider-workforce"]
        let response = await cloud.post("https://sts.googleapis.com/v1/oauthtoken", form, basic)
        #expect(response.status == .ok)
        let token = try #require(try response.json["access_token"]?.string)
        #expect(try cloud.subject(of: token).hasPrefix("principal://"))
        #expect(await cloud.post("https://sts.googleapis.com/v1/oauthtoken", form).errorCode == "invalid_request")
        let wrong = ["Authorization": "Basic eDp5"]
        #expect(await cloud.post("https://sts.googleapis.com/v1/oauthtoken", form, wrong).status == .unauthorized)
        let unknown = ["grant_type": "refresh_token", "refresh_token": "unknown"]
        #expect(
            await cloud.post("https://sts.googleapis.com/v1/oauthtoken", unknown, basic).errorCode == "invalid_grant"
        )

        let url = "https://sts.googleapis.com/v1/introspect"
        let information = try await cloud.post(url, ["token": token], basic).json
        #expect(information["active"]?.bool == true)
        #expect(information["username"]?.string?.hasPrefix("principal://") == true)
        #expect(try await cloud.post(url, ["token": "unknown"], basic).json["active"]?.bool == false)
        #expect(await cloud.post(url, ["token": token], wrong).status == .unauthorized)
    }
}
#endif
