// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Server metadata")
struct MetadataTests {
    private static func read(_ document: String, issuer: String = Example.issuer) throws -> ServerMetadata {
        try MetadataRequest(.openIDConnect, of: Issuer(issuer)).metadata(status: 200, body: Array(document.utf8))
    }

    @Test(
        "Rejects metadata of another issuer, and the error names both issuers",
        .covers(1, 2),
        arguments: [
            "https://evil.example", "https://as.example/", "https://AS.example", "https://as.example:443",
            "https://as.example/tenant", "HTTPS://as.example",
        ]
    )
    func issuerMatch(_ other: String) throws {
        let error = #expect(throws: (any Error).self) {
            try Self.read(Example.document(["issuer": "\"\(other)\""]))
        }
        #expect(outcome { if let error { throw error } } == "metadata.issuerMatch")
        let message = "\(try #require(error))"
        #expect(message.contains("\"https://as.example\""))
        #expect(message.contains("\"\(other)\""))
    }

    @Test(
        "Rejects an issuer that is not an https URL without query, fragment and user name",
        .covers(3),
        arguments: [
            "http://as.example", "https://as.example?x=1", "https://as.example?", "https://as.example#x",
            "https://as.example#", "https://user@as.example", "https://user:pass@as.example", "as.example",
            "ftp://as.example", "https://", "https:///path", "//as.example", "https://as .example",
            "https://\u{E4}s.example", "http://127.0.0.1", "https://as.example:99999", "javascript:alert(1)",
        ]
    )
    func issuerForm(_ issuer: String) {
        #expect(outcome { try Issuer(issuer) } == "metadata.issuerForm")
        #expect(outcome { try Self.read(Example.document(["issuer": "\"\(issuer)\""])) } == "metadata.issuerForm")
    }

    @Test(
        "The error for a rejected URL does not contain its password",
        arguments: [
            "https://user:s3cret@as.example", "http://user:s3cret@as.example", "https://u:s3cret@as.example:99999",
        ]
    )
    func passwordInURL(_ url: String) {
        let errors = [
            #expect(throws: (any Error).self) { try Issuer(url) },
            #expect(throws: (any Error).self) { try Endpoint(url, name: "token_endpoint") },
        ]
        for error in errors { #expect(!"\(error, default: "")".contains("s3cret")) }
    }

    @Test(
        "Builds the well-known URL from the issuer without its trailing slash",
        .covers(4),
        arguments: [
            (
                "https://h", "https://h/.well-known/openid-configuration",
                "https://h/.well-known/oauth-authorization-server"
            ),
            (
                "https://h/", "https://h/.well-known/openid-configuration",
                "https://h/.well-known/oauth-authorization-server"
            ),
            (
                "https://h/t1", "https://h/t1/.well-known/openid-configuration",
                "https://h/.well-known/oauth-authorization-server/t1"
            ),
            (
                "https://h/t1/", "https://h/t1/.well-known/openid-configuration",
                "https://h/.well-known/oauth-authorization-server/t1"
            ),
            (
                "https://h:8443/a/b", "https://h:8443/a/b/.well-known/openid-configuration",
                "https://h:8443/.well-known/oauth-authorization-server/a/b"
            ),
        ]
    )
    func wellKnown(issuer: String, openID: String, server: String) throws {
        let issuer = try Issuer(issuer)
        #expect(MetadataRequest(.openIDConnect, of: issuer).url == openID)
        #expect(MetadataRequest(.authorizationServer, of: issuer).url == server)
        let head = try MetadataRequest(.openIDConnect, of: issuer).message().request
        #expect("\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")" == openID)
        #expect(head.method == .get)
    }

    @Test(
        "Rejects any status other than 200 regardless of the body",
        .covers(6),
        arguments: [201, 204, 301, 400, 404, 500, 503]
    )
    func status(_ status: Int) throws {
        let request = MetadataRequest(.openIDConnect, of: try Issuer(Example.issuer))
        let body = Array(Example.document().utf8)
        #expect(outcome { try request.metadata(status: status, body: body) } == "HTTPStatusError \(status)")
    }

    @Test(
        "Rejects a body that is not a single JSON object",
        .covers(6),
        arguments: [
            "", "[]", "null", "1", "\"x\"", "<html></html>", Example.document() + "x", Example.document() + "{}",
            "\u{FEFF}" + Example.document(), String(Example.document().dropLast()),
            Example.document(["deep": String(repeating: "[", count: 513) + String(repeating: "]", count: 513)]),
        ]
    )
    func format(_ body: String) {
        #expect(outcome { try Self.read(body) } == "metadata.format")
    }

    @Test(
        "Rejects an endpoint that is not https, or has a fragment or user name",
        .covers(7, 8),
        arguments: [
            "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "revocation_endpoint",
            "end_session_endpoint",
        ],
        [
            "http://as.example/x", "ftp://as.example/x", "javascript:alert(1)", "file:///etc/passwd", "/x", "",
            "https:",
            "https://as.example/x#y", "https://as.example/x#", "https://user@as.example/x", "https://as.example/a b",
            "http://localhost/x", "https://as.example:0/", "https://as.exa\u{FF4D}ple/",
        ]
    )
    func endpoint(_ name: String, _ url: String) {
        #expect(outcome { try Self.read(Example.document([name: "\"\(url)\""])) } == "metadata.endpoint")
    }

    @Test(
        "Rejects a metadata member of the wrong type",
        .covers(9),
        arguments: [
            ("issuer", "5"), ("issuer", "null"), ("issuer", "\"\""), ("token_endpoint", "[]"), ("token_endpoint", "{}"),
            ("authorization_endpoint", "true"), ("scopes_supported", "\"a b\""), ("scopes_supported", "[1]"),
            ("code_challenge_methods_supported", "\"S256\""), ("id_token_signing_alg_values_supported", "[null]"),
            ("authorization_response_iss_parameter_supported", "\"true\""),
            ("authorization_response_iss_parameter_supported", "1"), ("response_modes_supported", "{}"),
            ("token_endpoint_auth_methods_supported", "7"),
        ]
    )
    func types(member: String, value: String) {
        #expect(outcome { try Self.read(Example.document([member: value])) } == "metadata.format")
    }

    @Test("Omits invalid scopes from the scopes that a server supports", .covers(148))
    func scopes() throws {
        let names = #"["openid","a\u001b]0;x\u0007","","a b","\u202e","https://a.example/b"]"#
        let metadata = try Self.read(Example.document(["scopes_supported": names]))
        #expect(metadata.scopesSupported == ["openid", "https://a.example/b"])
    }

    @Test("The error for a missing endpoint names the metadata member", .covers(10))
    func missingEndpoint() throws {
        let metadata = try Self.read(Example.document(["revocation_endpoint": "", "token_endpoint": "null"]))
        let error = #expect(throws: (any Error).self) {
            try metadata.require(\.revocationEndpoint, "revocation_endpoint")
        }
        #expect(outcome { if let error { throw error } } == "metadata.missing")
        #expect("\(error, default: "")".contains("revocation_endpoint"))
        #expect(outcome { try Example.pending(metadata) } == "metadata.missing")
    }

    @Test(
        "Rejects a provider that excludes S256, and sends S256 if it lists no methods",
        .covers(11),
        arguments: [
            ("[\"plain\"]", "metadata.codeChallengeMethod"), ("[]", "metadata.codeChallengeMethod"),
            ("[\"s256\"]", "metadata.codeChallengeMethod"), ("[\"plain\",\"S256\"]", "accepted"), ("", "accepted"),
        ]
    )
    func codeChallengeMethod(methods: String, expected: String) throws {
        let metadata = try Self.read(Example.document(["code_challenge_methods_supported": methods]))
        #expect(outcome { try Example.pending(metadata) } == expected)
        guard expected == "accepted" else { return }
        let pending = try Example.pending(metadata)
        #expect(pending.sent("code_challenge_method") == ["S256"])
        #expect(pending.result(of: "code=c") == "mismatch: redirect.state")
    }

    @Test(
        "Rejects duplicate metadata members, including a name written with escapes",
        .covers(12),
        arguments: [
            #""issuer":"https://as.example","#, #""token_endpoint":"https://evil.example","#,
            #""\u0069ssuer":"https://evil.example","#,
        ]
    )
    func duplicates(twice: String) {
        #expect(outcome { try Self.read("{" + twice + Example.document().dropFirst()) } == "metadata.format")
    }

    @Test("Ignores signed_metadata and uses the plain members", .covers(14))
    func signedMetadata() throws {
        let claims = #"{"issuer":"https://evil.example","token_endpoint":"https://evil.example/token"}"#
        let signed = "\"eyJhbGciOiJub25lIn0.\(base64URL(claims)).\""
        let metadata = try Self.read(Example.document(["signed_metadata": signed]))
        #expect(metadata.issuer.url == "https://as.example")
        #expect(metadata.tokenEndpoint?.url == "https://as.example/token")
    }

    @Test("Escapes control characters of a member name in the error")
    func nameOfTwoLines() {
        let aliases = #"{"token\n\f_endpoint": "https://as.example/#f"}"#
        let document = Example.document(["mtls_endpoint_aliases": aliases])
        let violation = #expect(throws: ProtocolViolationError.self) { try Self.read(document) }
        #expect(violation?.expected.contains(#"token\u{a}\u{c}_endpoint"#) == true)
        #expect(violation?.description.contains { $0.isNewline } == false)
    }

    @Test("Keeps unknown metadata members readable")
    func unknownMembers() throws {
        let metadata = try Self.read(Example.document(["service_documentation": "\"https://docs.example\""]))
        #expect(metadata.document["service_documentation"]?.string == "https://docs.example")
        #expect(metadata.authorizationResponseIssParameterSupported == false)
    }
}
