// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Protected resource metadata")
struct ResourceMetadataTests {
    private static let resource = "https://api.example/files"

    private static func read(_ changes: [String: String] = [:], status: Int = 200) throws -> ProtectedResourceMetadata {
        let document = Example.object(
            [
                "resource": "\"\(self.resource)\"", "authorization_servers": "[\"https://as.example\"]",
                "scopes_supported": "[\"read\"]", "resource_name": "\"Files\"",
            ],
            changes
        )
        return try ProtectedResourceMetadataRequest(of: self.resource)
            .metadata(status: status, body: Array(document.utf8))
    }

    @Test(
        "Inserts the well-known path before the resource's path and query",
        .covers(4),
        arguments: [
            ("https://h", "https://h/.well-known/oauth-protected-resource"),
            ("https://h/", "https://h/.well-known/oauth-protected-resource"),
            ("https://h/a/b", "https://h/.well-known/oauth-protected-resource/a/b"),
            ("https://h/a/", "https://h/.well-known/oauth-protected-resource/a/"),
            ("https://h:8443/a?x=1", "https://h:8443/.well-known/oauth-protected-resource/a?x=1"),
            ("https://h?x=1", "https://h/.well-known/oauth-protected-resource?x=1"),
        ]
    )
    func wellKnown(resource: String, url: String) throws {
        let request = try ProtectedResourceMetadataRequest(of: resource)
        #expect(request.url == url)
        #expect(RecordedRequest(head: request.message().request).url == url)
    }

    @Test(
        "Rejects a resource that is not an https URL without a fragment",
        .covers(7, 8),
        arguments: ["http://h/a", "https://h/#a", "https://u:p@h/", "h", "", "urn:x", "javascript:alert(1)"]
    )
    func form(_ resource: String) {
        #expect(outcome { try ProtectedResourceMetadataRequest(of: resource) } == "metadata.endpoint")
    }

    @Test(
        "Rejects metadata of another resource",
        .covers(13),
        arguments: [
            "https://api.example/files/", "https://api.example", "https://API.example/files",
            "https://api.example:443/files", "https://evil.example/files", "HTTPS://api.example/files",
        ]
    )
    func otherResource(_ other: String) {
        #expect(outcome { try Self.read(["resource": "\"\(other)\""]) } == "metadata.resourceMatch")
    }

    @Test("Parses the metadata strictly and ignores signed_metadata", .covers(6, 9, 12, 14))
    func document() throws {
        let metadata = try Self.read([
            "signed_metadata":
                "\"\(base64URL(#"{"alg":"none"}"#)).\(base64URL(#"{"resource":"https://evil.example"}"#)).\"",
            "dpop_bound_access_tokens_required": "true", "bearer_methods_supported": "[\"header\"]",
        ])
        #expect(metadata.resource == Self.resource)
        #expect(metadata.authorizationServers.map(\.url) == ["https://as.example"])
        #expect(metadata.scopesSupported == ["read"])
        #expect(metadata.resourceName == "Files")
        #expect(metadata.dpopBoundAccessTokensRequired)
        #expect(!metadata.tlsClientCertificateBoundAccessTokens)
        #expect(metadata.bearerMethodsSupported == ["header"])
        #expect(metadata.jwksURI == nil)
        for (changes, expected) in [
            (["resource": ""], "metadata.format"), (["resource": "5"], "metadata.format"),
            (["authorization_servers": "\"https://as.example\""], "metadata.format"),
            (["authorization_servers": "[5]"], "metadata.format"),
            (["authorization_servers": "[\"http://as.example\"]"], "metadata.issuerForm"),
            (["jwks_uri": "\"http://api.example/keys\""], "metadata.endpoint"),
            (["dpop_bound_access_tokens_required": "\"true\""], "metadata.format"),
            (["scopes_supported": "[\"read\",\"a\\u001b[2J\"]"], "scope.form"),
            (["scopes_supported": "[\"read write\"]"], "scope.form"),
        ] {
            #expect(outcome { try Self.read(changes) } == expected, "\(changes)")
        }
        for status in [201, 302, 404, 500] {
            #expect(outcome { try Self.read(status: status) } == "HTTPStatusError \(status)")
        }
        let request = try ProtectedResourceMetadataRequest(of: Self.resource)
        for body in ["[]", "", "<html>", "{\"resource\":\"\(Self.resource)\",\"resource\":\"\(Self.resource)\"}"] {
            #expect(outcome { try request.metadata(status: 200, body: Array(body.utf8)) } == "metadata.format")
        }
    }

    @Test("Accepts only an authorization server that the resource names exactly", .covers(13))
    func servers() throws {
        let metadata = try Self.read()
        #expect(outcome { try metadata.check(Example.metadata()) } == "accepted")
        for other in ["https://evil.example", "https://as.example/"] {
            let server = try Example.metadata(["issuer": "\"\(other)\""])
            #expect(outcome { try metadata.check(server) } == "metadata.authorizationServer")
            // Metadata of the named server cannot be from another server either.
            let request = MetadataRequest(.authorizationServer, of: metadata.authorizationServers[0])
            let body = Array(Example.document(["issuer": "\"\(other)\""]).utf8)
            #expect(outcome { try request.metadata(status: 200, body: body) } == "metadata.issuerMatch")
        }
        for (resources, expected) in [
            ("[\"\(Self.resource)\"]", "accepted"), ("[]", "metadata.authorizationServer"),
            ("[\"https://api.example/other\"]", "metadata.authorizationServer"),
        ] {
            let server = try Example.metadata(["protected_resources": resources])
            #expect(outcome { try metadata.check(server) } == expected)
        }
        #expect(
            outcome { try Self.read(["authorization_servers": ""]).check(Example.metadata()) }
                == "metadata.authorizationServer"
        )
    }

    private static func challenged(_ field: String) throws -> ProtectedResourceMetadataRequest? {
        var response = HTTPResponse(status: .unauthorized)
        response.headerFields[.wwwAuthenticate] = field
        guard let challenge = BearerChallengeError(response) else { return nil }
        return try ProtectedResourceMetadataRequest(challenge, for: self.resource)
    }

    @Test("Follows resource_metadata of a challenge only to the resource's own origin", .covers(13, 121))
    func challenge() throws {
        let request = try #require(
            try Self.challenged(#"Basic realm="x", Bearer resource_metadata="https://api.example/meta?x=1""#)
        )
        #expect(request.url == "https://api.example/meta?x=1")
        #expect(request.resource == Self.resource)
        #expect(try Self.challenged("Bearer") == nil)
        for url in [
            "https://evil.example/meta", "http://api.example/meta", "https://api.example:8443/meta",
            "https://api.example.evil/meta", "https://api.example@evil.example/", "javascript:alert(1)", "/meta", "",
        ] {
            #expect(outcome { try Self.challenged("Bearer resource_metadata=\"\(url)\"") } == "metadata.endpoint")
        }
        let document = Array(#"{"resource":"https://api.example/other"}"#.utf8)
        #expect(outcome { try request.metadata(status: 200, body: document) } == "metadata.resourceMatch")
    }
}
