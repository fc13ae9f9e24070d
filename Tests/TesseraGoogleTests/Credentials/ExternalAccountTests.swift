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

@Suite("External account credentials")
struct ExternalAccountTests {
    @Test("Exchanges the token in a file for an access token", .covers(87))
    func file() async throws {
        let google = try ScriptedGoogle()
        let path = try google.write("subject-token", "token")
        let credentials = try google.load(try ScriptedGoogle.externalAccount(["file": .string(path)]))
        #expect(try await credentials.accessToken().text == "token-1")
        let request = try #require(google.requests.first)
        let parameters = Dictionary(uniqueKeysWithValues: request.form.map { ($0.name, $0.value) })
        #expect(
            parameters == [
                "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
                "audience": ScriptedGoogle.audience, "scope": "scope-a scope-b",
                "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
                "subject_token": "subject-token", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
            ]
        )
        #expect(request.authorization == nil)
        try google.write("new-subject-token", "token")
        google.clock.advance(by: .seconds(3_600))
        _ = try await credentials.accessToken()
        #expect(google.requests[1].formValue("subject_token") == "new-subject-token")
    }

    @Test("Reads a token from a member of a JSON file or response")
    func json() async throws {
        let google = try ScriptedGoogle()
        let path = try google.write(#"{"nested":1,"id":"from-file"}"#, "token")
        google.answer("http://169.254.169.254/identity") { _ in .json(#"{"id":"from-url"}"#) }
        let format: JSONNode = ["type": "json", "subject_token_field_name": "id"]
        let fromFile = try google.load(try ScriptedGoogle.externalAccount(["file": .string(path), "format": format]))
        _ = try await fromFile.accessToken()
        let fromURL = try google.load(
            try ScriptedGoogle.externalAccount([
                "url": "http://169.254.169.254/identity", "headers": ["Metadata": "True"], "format": format,
            ])
        )
        _ = try await fromURL.accessToken()
        #expect(google.requests.compactMap { $0.formValue("subject_token") } == ["from-file", "from-url"])
        let name = try #require(HTTPField.Name("Metadata"))
        #expect(google.requests[1].head.headerFields[name] == "True")
    }

    @Test("Authenticates a client, and charges a project only without one")
    func workforce() async throws {
        let google = try ScriptedGoogle()
        let path = try google.write("subject-token", "token")
        let changes: [String: JSONNode?] = [
            "audience": .string(ScriptedGoogle.workforce), "workforce_pool_user_project": "user-project",
        ]
        let source: JSONNode = ["file": .string(path)]
        _ = try await google.load(try ScriptedGoogle.externalAccount(source, changes)).accessToken()
        let options = try #require(google.requests[0].formValue("options"))
        #expect(options == "%7B%22userProject%22%3A%22user-project%22%7D")
        let client: [String: JSONNode?] = ["client_id": "client", "client_secret": "secret"]
        let authenticated = try ScriptedGoogle.externalAccount(source, changes.merging(client) { $1 })
        _ = try await google.load(authenticated).accessToken()
        #expect(google.requests[1].formValue("options") == nil)
        #expect(google.requests[1].authorization == "Basic Y2xpZW50OnNlY3JldA==")
        let workload = try ScriptedGoogle.externalAccount(source, ["workforce_pool_user_project": "user-project"])
        #expect { try google.load(workload) } throws: { GoogleCredentialsError.Code.invalidFile ~= $0 }
    }

    @Test("Acts as the service account that the file names, with its lifetime")
    func impersonation() async throws {
        let google = try ScriptedGoogle()
        let path = try google.write("subject-token", "token")
        let url = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/\(ScriptedGoogle.email)"
        let credentials = try google.load(
            try ScriptedGoogle.externalAccount(
                ["file": .string(path)],
                [
                    "service_account_impersonation_url": .string(url + ":generateAccessToken"),
                    "service_account_impersonation": ["token_lifetime_seconds": 2_800],
                ]
            )
        )
        #expect(try await credentials.accessToken().text == "token-2")
        #expect(credentials.kind == .impersonatedServiceAccount)
        #expect(google.requests[0].formValue("scope") == "https://www.googleapis.com/auth/iam")
        #expect(google.urls[1] == url + ":generateAccessToken")
        #expect(google.requests[1].authorization == "Bearer token-1")
        let body = #"{"delegates":null,"scope":["scope-a","scope-b"],"lifetime":"2800s"}"#
        #expect(google.requests[1].text == body)
    }

    @Test("Requests ID tokens for the service account that the file names")
    func idToken() async throws {
        let google = try ScriptedGoogle()
        let path = try google.write("subject-token", "token")
        let url = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/\(ScriptedGoogle.email)"
        let credentials = try google.load(
            try ScriptedGoogle.externalAccount(
                ["file": .string(path)],
                ["service_account_impersonation_url": .string(url + ":generateAccessToken")]
            )
        )
        _ = try await credentials.idToken(audience: "https://a.example")
        #expect(google.requests.count == 2)
        #expect(google.urls.last == url + ":generateIdToken")
        #expect(google.requests.last?.json?["audience"]?.string == "https://a.example")
    }

    @Test("Requests the name of the project once")
    func project() async throws {
        let google = try ScriptedGoogle()
        let path = try google.write("subject-token", "token")
        google.answer("https://cloudresourcemanager.googleapis.com/v1/projects/123") { _ in
            .json(#"{"projectId":"named-project"}"#)
        }
        let credentials = try google.load(try ScriptedGoogle.externalAccount(["file": .string(path)]))
        #expect(try await credentials.project() == "named-project")
        #expect(try await credentials.project() == "named-project")
        #expect(google.requests.count == 2)
        #expect(google.requests[1].authorization == "Bearer token-1")
    }

    @Test("Calls a closure for each subject token")
    func closure() async throws {
        let google = try ScriptedGoogle()
        let credentials = try GoogleCredentials.externalAccount(
            audience: ScriptedGoogle.audience,
            scopes: ["scope-a"],
            impersonating: ScriptedGoogle.email,
            options: google.options(),
            runtime: google.runtime
        ) { context in Secret("for \(context.subjectTokenType)") }
        #expect(try await credentials.accessToken().text == "token-2")
        #expect(google.requests[0].formValue("subject_token") == "for urn:ietf:params:oauth:token-type:jwt")
    }

    @Test(
        "Rejects a source that is ambiguous, incomplete or not valid",
        arguments: [
            ["file": "a", "url": "https://a.example"], [:], ["file": "a", "format": ["type": "xml"]],
            ["file": "a", "format": ["type": "json"]], ["url": "http://a.example/token"],
            ["url": "ftp://a.example/token"], ["url": "https://a.example", "headers": ["a b": "c"]],
            ["url": "https://a.example", "headers": ["name": 1]], ["environment_id": "aws1", "file": "a"],
            ["file": 1], ["certificate": [:]], ["executable": [:]],
            ["executable": ["command": "a 'b"]], ["executable": ["command": "a", "timeout_millis": 1]],
            ["executable": ["command": "a", "interactive_timeout_millis": 1]],
        ] as [JSONNode]
    )
    func invalidSource(_ source: JSONNode) throws {
        let google = try ScriptedGoogle()
        #expect { try google.load(try ScriptedGoogle.externalAccount(source)) } throws: {
            GoogleCredentialsError.Code.invalidFile ~= $0
        }
    }

    @Test("Says which file has no token", arguments: ["", "{}", #"{"id":1}"#, "not JSON"])
    func noToken(_ text: String) async throws {
        let google = try ScriptedGoogle()
        let path = try google.write(text, "token")
        let format: JSONNode = text.isEmpty ? ["type": "text"] : ["type": "json", "subject_token_field_name": "id"]
        let source: JSONNode = ["file": .string(path), "format": format]
        let credentials = try google.load(try ScriptedGoogle.externalAccount(source))
        await #expect { try await credentials.accessToken() } throws: { error in
            let error = error as? GoogleCredentialsError
            return error?.code == .subjectToken && error?.location == path
        }
        #expect(google.requests.isEmpty)
    }
}

@Suite("Credentials of AWS")
struct AWSTests {
    /// Amazon's published test suite for Signature Version 4.
    @Test(
        "Signs the requests of Amazon's test suite",
        arguments: [
            ("GET", "/", [], [:], "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            (
                "GET", "/", [("Param2", "value2"), ("Param1", "value1")], [:], "",
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
            ),
            (
                "GET", "/", [("Param1", "value1")], [:], "",
                "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"
            ),
            ("POST", "/", [], [:], "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
            (
                "POST", "/", [], ["content-type": "application/x-www-form-urlencoded"], "Param1=value1",
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
            ),
            ("GET", "/%E1%88%B4", [], [:], "", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        ] as [(String, String, [(String, String)], [String: String], String, String)]
    )
    func signature(
        _ method: String,
        _ path: String,
        _ query: [(String, String)],
        _ fields: [String: String],
        _ body: String,
        _ expected: String
    ) throws {
        let signer = AWSRequestSigner(
            credentials: AWSCredentials(
                accessKeyID: "AKIDEXAMPLE",
                secretAccessKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
            ),
            region: "us-east-1",
            service: "service",
            date: Date(timeIntervalSince1970: 1_440_938_160)
        )
        let result = signer.signature(
            method: method,
            path: path,
            query: query.map { (name: $0.0, value: $0.1) },
            fields: fields.merging(["host": "example.amazonaws.com"]) { $1 },
            body: Array(body.utf8)
        )
        #expect(result.date == "20150830T123600Z")
        #expect(result.authorization.hasSuffix("Signature=" + expected))
        #expect(result.authorization.contains("Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request"))
    }

    static let source: JSONNode = [
        "environment_id": "aws1", "region_url": "http://169.254.169.254/latest/meta-data/placement/availability-zone",
        "url": "http://169.254.169.254/latest/meta-data/iam/security-credentials",
        "regional_cred_verification_url":
            "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
    ]
    static let type: [String: JSONNode?] = ["subject_token_type": "urn:ietf:params:aws:token-type:aws4_request"]

    static func machine(_ google: ScriptedGoogle) {
        google.answer("http://169.254.169.254/latest/") { request in
            switch request.path {
            case "/latest/api/token": .json("imds-session")
            case "/latest/meta-data/placement/availability-zone": .json("us-east-2b")
            case "/latest/meta-data/iam/security-credentials": .json("role")
            case "/latest/meta-data/iam/security-credentials/role":
                .json(#"{"AccessKeyId":"AKID","SecretAccessKey":"aws-secret","Token":"aws-token"}"#)
            default: .status(.notFound)
            }
        }
    }

    private static func subjectToken(_ google: ScriptedGoogle) throws -> JSONValue {
        let text = try #require(google.requests.last?.formValue("subject_token"))
        let bytes = try #require(PercentEncoding.decode(text.utf8, isStrict: true))
        return try JSONValue(parsing: bytes)
    }

    private static func header(_ name: String, _ token: JSONValue) -> String? {
        token["headers"]?.elements?.first { $0["key"]?.string == name }?["value"]?.string
    }

    @Test("Sends a signed GetCallerIdentity request with the credentials of the machine", arguments: [false, true])
    func machine(_ usesSession: Bool) async throws {
        let google = try ScriptedGoogle()
        Self.machine(google)
        var source = Self.source.members ?? []
        if usesSession {
            source.append(
                JSONMember(name: "imdsv2_session_token_url", value: "http://169.254.169.254/latest/api/token")
            )
        }
        let credentials = try google.load(try ScriptedGoogle.externalAccount(.object(source), Self.type))
        _ = try await credentials.accessToken()
        let token = try Self.subjectToken(google)
        #expect(
            token["url"]?.string == "https://sts.us-east-2.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"
        )
        #expect(token["method"]?.string == "POST")
        #expect(Self.header("x-amz-security-token", token) == "aws-token")
        #expect(Self.header("x-goog-cloud-target-resource", token) == ScriptedGoogle.audience)
        #expect(Self.header("host", token) == "sts.us-east-2.amazonaws.com")
        #expect(
            Self.header("Authorization", token)?.contains("SignedHeaders=host;x-amz-date;x-amz-security-token,") == true
        )
        let sessions = google.requests.map { $0.head.headerFields[.init(known: "X-aws-ec2-metadata-token")] }
        #expect(sessions.compactMap { $0 }.count == (usesSession ? 3 : 0))
        #expect(google.requests.filter { $0.head.method == .put }.count == (usesSession ? 2 : 0))
    }

    @Test("Prefers the environment's credentials and region")
    func environment() async throws {
        let google = try ScriptedGoogle()
        let options = google.options([
            "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "aws-secret", "AWS_DEFAULT_REGION": "eu-west-1",
        ])
        let file = try ScriptedGoogle.externalAccount(Self.source, Self.type)
        _ = try await google.load(file, options: options).accessToken()
        #expect(google.requests.count == 1)
        let token = try Self.subjectToken(google)
        #expect(token["url"]?.string?.hasPrefix("https://sts.eu-west-1.") == true)
        #expect(Self.header("x-amz-security-token", token) == nil)
    }

    @Test(
        "Signs no other request than GetCallerIdentity of AWS, and asks no other server for credentials",
        .covers(173),
        .shows(claims: 47),
        arguments: [
            ("regional_cred_verification_url", "https://attacker.example?Action=GetCallerIdentity"),
            ("regional_cred_verification_url", "https://sts.{region}.amazonaws.com?Action=AssumeRole"),
            ("regional_cred_verification_url", "http://sts.{region}.amazonaws.com?Action=GetCallerIdentity"),
            (
                "regional_cred_verification_url",
                "https://sts.{region}.amazonaws.com.attacker.example?Action=GetCallerIdentity"
            ),
            ("url", "http://attacker.example/latest/meta-data"), ("region_url", "https://attacker.example/latest/"),
            ("url", "http://169.254.169.254/computeMetadata/v1/"), ("environment_id", "aws2"),
        ]
    )
    func foreign(_ name: String, _ value: String) async throws {
        let google = try ScriptedGoogle()
        Self.machine(google)
        let source =
            (Self.source.members ?? []).filter { $0.name != name } + [JSONMember(name: name, value: .string(value))]
        let file = try ScriptedGoogle.externalAccount(.object(source), Self.type)
        await #expect(throws: GoogleCredentialsError.self) { try await google.load(file).accessToken() }
        #expect(google.urls.allSatisfy { $0.hasPrefix("http://169.254.169.254/latest/") })
    }

    @Test("Uses AWS credentials from a closure")
    func closure() async throws {
        let google = try ScriptedGoogle()
        let credentials = try GoogleCredentials.externalAccount(
            audience: ScriptedGoogle.audience,
            awsRegion: "eu-central-1",
            scopes: ["scope-a"],
            options: google.options(),
            runtime: google.runtime
        ) { AWSCredentials(accessKeyID: "AKID", secretAccessKey: Secret("aws-secret")) }
        _ = try await credentials.accessToken()
        #expect(try Self.subjectToken(google)["url"]?.string?.hasPrefix("https://sts.eu-central-1.") == true)
    }
}
