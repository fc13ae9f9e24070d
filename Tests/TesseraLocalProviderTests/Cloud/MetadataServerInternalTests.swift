// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("Metadata servers of the local provider")
struct MetadataServerInternalTests {
    static let account = "instance/service-accounts/default/"

    static let values = [
        ("project/project-id", "tessera-local-provider"), ("project/numeric-project-id", "104857600000"),
        ("universe/universe-domain", "googleapis.com"), (account + "email", CloudUnderTest.worker),
        ("instance/service-accounts/\(CloudUnderTest.worker)/email", CloudUnderTest.worker),
        ("instance/zone", "projects/104857600000/zones/europe-west1-b"),
    ]

    @Test("Returns values as text only to requests with Metadata-Flavor", arguments: Self.values)
    func value(path: String, text: String) async throws {
        let cloud = try CloudUnderTest()
        let response = await cloud.metadata(path)
        #expect(response.text == text)
        #expect(response.headers[named: "Metadata-Flavor"] == "Google")
        for flavor in [nil, "Other"] {
            let refusal = await cloud.metadata(path, flavor: flavor)
            #expect(refusal.status == .forbidden)
            #expect(refusal.headers[named: "Metadata-Flavor"] == nil)
        }
    }

    @Test(
        "Responds to detection at the addresses of the metadata server and at its own",
        arguments: [
            "metadata.google.internal", "metadata.google.internal.", "metadata.google.internal:80", "169.254.169.254",
            "127.0.0.1:8400",
        ]
    )
    func detection(host: String) async throws {
        let cloud = try CloudUnderTest()
        let response = await cloud.send(.get, "http://\(host)/", ["Metadata-Flavor": "Google"])
        #expect(response.status == .ok)
        #expect(response.headers[named: "Metadata-Flavor"] == "Google")
        let path = "/computeMetadata/v1/project/project-id"
        let project = await cloud.send(.get, "http://\(host)\(path)", ["Metadata-Flavor": "Google"])
        #expect(project.text == "tessera-local-provider")
    }

    @Test("Returns the default account's information and rejects other accounts")
    func information() async throws {
        let cloud = try CloudUnderTest()
        let information = try await cloud.metadata(Self.account + "?recursive=true").json
        #expect(information["email"]?.string == CloudUnderTest.worker)
        #expect(information["scopes"]?.elements?.first?.string == CloudUnderTest.scope)
        #expect(await cloud.metadata(Self.account).text.contains("email\n"))
        #expect(await cloud.metadata(Self.account + "scopes").text.hasPrefix(CloudUnderTest.scope + "\n"))
        #expect(await cloud.metadata("instance/service-accounts/other/token").status == .notFound)
        #expect(await cloud.metadata("instance/nothing").status == .notFound)
    }

    @Test("Issues access tokens for the requested scopes or the default ones")
    func token() async throws {
        let cloud = try CloudUnderTest()
        for (query, scopes) in [
            ("", LocalCloudOptions().metadataScopes), ("?scopes=openid,https%3A%2F%2Fa", ["openid", "https://a"]),
        ] {
            let response = try await cloud.metadata(Self.account + "token" + query).json
            #expect(try response["expires_in"]?.integer() == 3600)
            let token = try #require(response["access_token"]?.string)
            let entry = cloud.service.withState { $0.accessTokens.entry(token, at: $0.now) }
            #expect(entry?.authorization.scopes == scopes)
        }
    }

    @Test("Issues ID tokens in both formats and requires an audience")
    func identity() async throws {
        let cloud = try CloudUnderTest()
        let path = Self.account + "identity?audience=https://service.example"
        let standard = try await cloud.claims(await cloud.metadata(path).text)
        #expect(standard["aud"]?.string == "https://service.example")
        #expect(standard["email"] == nil)
        let full = try await cloud.claims(await cloud.metadata(path + "&format=full&licenses=TRUE").text)
        #expect(full["email"]?.string == CloudUnderTest.worker)
        let engine = full["google"]?["compute_engine"]
        #expect(engine?["project_id"]?.string == "tessera-local-provider")
        #expect(engine?["license_id"]?.elements?.count == 1)
        #expect(await cloud.metadata(Self.account + "identity").status == .badRequest)
    }

    @Test("Serves AWS credentials to sessions of IMDSv2, and without a session if it is not required")
    func aws() async throws {
        let base = "http://169.254.169.254/latest/"
        let credentials = base + "meta-data/iam/security-credentials"
        for isRequired in [true, false] {
            let cloud = try CloudUnderTest { $0.cloud?.aws.requiresIMDSv2 = isRequired }
            let lifetime = ["X-aws-ec2-metadata-token-ttl-seconds": "300"]
            let session = await cloud.send(.put, base + "api/token", lifetime).text
            let fields = ["X-aws-ec2-metadata-token": session]
            #expect(await cloud.send(.get, credentials, fields).text == "tessera-local-role")
            let zone = await cloud.send(.get, base + "meta-data/placement/availability-zone", fields)
            #expect(zone.text == "us-east-2b")
            let found = try await cloud.send(.get, credentials + "/tessera-local-role", fields).json
            #expect(found["AccessKeyId"]?.string == "ASIALOCALPROVIDER000")
            #expect(found["Token"]?.string == "local-provider-session-token")
            #expect(await cloud.send(.get, credentials + "/other", fields).status == .notFound)
            #expect(await cloud.send(.get, credentials).status == (isRequired ? .unauthorized : .ok))
            let unknown = ["X-aws-ec2-metadata-token": "unknown"]
            #expect(await cloud.send(.get, credentials, unknown).status == .unauthorized)
            #expect(await cloud.send(.put, base + "api/token").status == .badRequest)
        }
    }

    @Test("Returns the subject token as text and JSON")
    func subjectToken() async throws {
        let cloud = try CloudUnderTest()
        let url = "http://127.0.0.1:8400/subject-token"
        let token = LocalCloudOptions().subjectToken
        #expect(await cloud.send(.get, url).text == token)
        #expect(try await cloud.send(.get, url + "?format=json").json["id_token"]?.string == token)
        #expect(await cloud.send(.post, url).status == .methodNotAllowed)
    }
}
#endif
