// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
@testable internal import TesseraGoogle
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Impersonated and downscoped credentials")
struct DerivedCredentialsTests {
    private static let target = "target@project.iam.gserviceaccount.com"

    @Test("Acts as a service account with delegates and a lifetime")
    func impersonation() async throws {
        let google = try ScriptedGoogle()
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
            .impersonating(Self.target, scopes: ["scope-c"], delegates: ["middle@example"], lifetime: .seconds(600))
        #expect(try await credentials.accessToken().text == "token-2")
        #expect(
            try google.requests[0].claims(of: "assertion")["scope"]?.string == "https://www.googleapis.com/auth/iam"
        )
        #expect(google.requests[1].text == #"{"delegates":["middle@example"],"scope":["scope-c"],"lifetime":"600s"}"#)
        #expect(google.requests[1].authorization == "Bearer token-1")
        #expect(google.requests[1].path == "/v1/projects/-/serviceAccounts/\(Self.target):generateAccessToken")
        #expect(try await credentials.email() == Self.target)
    }

    @Test("Acts as a user without a key: Google signs the assertion")
    func keylessDelegation() async throws {
        let google = try ScriptedGoogle()
        let credentials = try GoogleCredentials.metadataServer(options: google.options(), runtime: google.runtime)
            .impersonating(Self.target, scopes: ["scope-c"], subject: "ada@example.com")
        _ = try await credentials.accessToken()
        let signing = try #require(google.requests.first { $0.path.hasSuffix(":signJwt") })
        let claims = try JSONValue(parsing: signing.json?["payload"]?.string ?? "")
        #expect(claims["iss"]?.string == Self.target)
        #expect(claims["sub"]?.string == "ada@example.com")
        #expect(claims["scope"]?.string == "scope-c")
        #expect(google.requests.last?.formValue("assertion") == "signed.jwt.value")
    }

    @Test("Replaces a source token that the IAM service rejects, once")
    func rejectedSource() async throws {
        let google = try ScriptedGoogle()
        google.answer("https://iamcredentials.googleapis.com/") { request in
            request.authorization == "Bearer token-1"
                ? .json(#"{"error":{"code":401,"message":"token-1 was revoked"}}"#, status: .unauthorized)
                : .json(#"{"accessToken":"final","expireTime":"2030-01-01T00:00:00Z"}"#)
        }
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
            .impersonating(Self.target, scopes: ["scope-c"])
        #expect(try await credentials.accessToken().text == "final")
        #expect(google.requests.count == 4)
    }

    @Test("Signs and issues ID tokens through the IAM service")
    func signing() async throws {
        let google = try ScriptedGoogle()
        let credentials = try google.load(try ScriptedGoogle.serviceAccount()).impersonating(Self.target, scopes: [])
        #expect(try await credentials.sign([1]) == GoogleSignature(keyID: "key", bytes: Array("signed".utf8)))
        _ = try await credentials.idToken(audience: "https://a.example", includesEmail: true)
        #expect(google.requests.last?.text == #"{"audience":"https://a.example","delegates":null,"includeEmail":true}"#)
        #expect(try await credentials.signJWT([]).withUnredacted { $0 } == "signed.jwt.value")
        #expect(google.requests.last?.text == #"{"delegates":null,"payload":"{}"}"#)
    }

    @Test(
        "Reads an impersonated service account's file",
        arguments: [
            ("authorized_user", ["client_id": "c", "client_secret": "s", "refresh_token": "r"]),
            ("service_account", nil),
        ] as [(String, JSONNode?)]
    )
    func file(_ type: String, _ source: JSONNode?) async throws {
        let google = try ScriptedGoogle()
        let members: [JSONMember]
        if let source {
            members = (source.members ?? []) + [JSONMember(name: "type", value: .string(type))]
        } else {
            let file = try JSONValue(parsing: try ScriptedGoogle.serviceAccount())
            members = (file.members.map(Array.init) ?? [])
                .map { JSONMember(name: $0.name, value: .string($0.value.string ?? "")) }
        }
        let file: JSONNode = [
            "type": "impersonated_service_account", "source_credentials": .object(members),
            "service_account_impersonation_url":
                "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/t@example.com:generateAccessToken",
            "delegates": ["a@example.com"], "quota_project_id": "quota",
        ]
        let credentials = try google.load(file.text(), scopes: ["scope-c"])
        #expect(try await credentials.accessToken().text == "token-2")
        #expect(google.requests[1].json?["scope"]?[0]?.string == "scope-c")
        #expect(google.requests[1].json?["delegates"]?[0]?.string == "a@example.com")
        #expect(credentials.quotaProject == "quota")
        #expect(credentials.kind == .impersonatedServiceAccount)
    }

    @Test("Rejects a file without a service account or with an unsupported source")
    func invalidFile() throws {
        let google = try ScriptedGoogle()
        let user: JSONNode = ["type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"]
        let nested: JSONNode = ["type": "impersonated_service_account"]
        for (url, source) in [
            ("https://iam.example/:generateAccessToken", user), ("https://iam.example/x", user),
            ("https://iam.example/a:generateAccessToken", nested),
        ] {
            let file: JSONNode = [
                "type": "impersonated_service_account", "source_credentials": source,
                "service_account_impersonation_url": .string(url),
            ]
            #expect(throws: GoogleCredentialsError.self) { try google.load(file.text()) }
        }
    }

    @Test("Restricts a token to the resources of a boundary")
    func downscoped() async throws {
        let google = try ScriptedGoogle()
        let rule = CredentialAccessBoundary.Rule(
            availableResource: "//storage.googleapis.com/projects/_/buckets/bucket",
            availablePermissions: ["inRole:roles/storage.objectViewer"],
            availabilityCondition: .init(expression: "resource.name.startsWith('a')", title: "only a")
        )
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
            .downscoped(to: CredentialAccessBoundary(rules: [rule]))
        #expect(try await credentials.accessToken().text == "token-2")
        let request = google.requests[1]
        #expect(request.formValue("subject_token") == "token-1")
        #expect(request.formValue("subject_token_type") == "urn:ietf:params:oauth:token-type:access_token")
        #expect(Set(request.form.map(\.name)).isDisjoint(with: ["audience", "scope"]))
        let options = try #require(PercentEncoding.decode((request.formValue("options") ?? "").utf8, isStrict: true))
        let expected =
            #"{"accessBoundary":{"accessBoundaryRules":[{"availablePermissions":["inRole:roles/storage.objectViewer"],"#
            + #""availableResource":"//storage.googleapis.com/projects/_/buckets/bucket","#
            + #""availabilityCondition":{"expression":"resource.name.startsWith('a')","title":"only a"}}]}}"#
        #expect(String(decoding: options, as: UTF8.self) == expected)
    }

    @Test(
        "Rejects a boundary without rules, with more than 10, or with a permission that is not a role",
        arguments: [0, 11]
    )
    func invalidBoundary(_ count: Int) throws {
        let google = try ScriptedGoogle()
        let rule = CredentialAccessBoundary.Rule(availableResource: "//a", availablePermissions: ["inRole:a"])
        let boundary = CredentialAccessBoundary(rules: Array(repeating: rule, count: count))
        let source = try google.load(try ScriptedGoogle.serviceAccount())
        #expect(throws: GoogleCredentialsError.self) { try source.downscoped(to: boundary) }
        let permission = CredentialAccessBoundary.Rule(availableResource: "//a", availablePermissions: ["read"])
        #expect(throws: GoogleCredentialsError.self) { try source.downscoped(to: .init(rules: [permission])) }
    }

    @Test(
        "Rejects an invalid service account or lifetime",
        arguments: [("", 10), ("a/b", 10), ("a@b", 0), ("a@b", 43_201)]
    )
    func invalidTarget(_ account: String, _ seconds: Int) throws {
        let source = try ScriptedGoogle().load(try ScriptedGoogle.serviceAccount())
        #expect { try source.impersonating(account, scopes: [], lifetime: .seconds(seconds)) } throws: {
            GoogleCredentialsError.Code.invalidConfiguration ~= $0
        }
    }

    @Test(
        "Reads times in UTC and nothing else",
        arguments: [
            ("1970-01-02T00:00:00Z", 86_400), ("2026-11-28T10:15:30.123456789Z", 1_795_860_930),
            ("2024-02-29T23:59:60Z", 1_709_251_200), ("2023-02-29T00:00:00Z", nil), ("1970-01-01 00:00:00Z", nil),
            ("1970-01-01T00:00:00", nil), ("1970-01-01T00:00:00+01:00", nil), ("1970-13-01T00:00:00Z", nil),
            ("1970-01-01T24:00:00Z", nil), ("1970-01-01T00:00:00.Z", nil), ("", nil), ("Z", nil),
            ("aaaa-01-01T00:00:00Z", nil),
        ] as [(String, Double?)]
    )
    func times(_ text: String, _ expected: Double?) {
        #expect(UTCTime.date(text)?.timeIntervalSince1970 == expected)
    }
}
