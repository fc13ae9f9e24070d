// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGoogle
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("Google provider")
struct GoogleProviderTests {
    @Test("Derives the redirect URI of an iOS client from its reversed client ID")
    func appRedirectURI() throws {
        let client = OAuthClient(clientID: "123-Abc.apps.googleusercontent.com")
        #expect(try client.googleAppRedirectURI() == "com.googleusercontent.apps.123-abc:/oauth2callback")
    }

    @Test(
        "Derives no redirect URI from a malformed client ID",
        arguments: ["", "client", "a..b", ".a", "a."]
    )
    func noAppRedirectURI(clientID: String) {
        #expect(throws: InvalidRequestError.self) { try OAuthClient(clientID: clientID).googleAppRedirectURI() }
    }

    private static func provider(_ authorizationURI: String?, insecure: Insecure = []) throws -> Provider {
        let member = authorizationURI.map { ",\"auth_uri\":\"\($0)\"" } ?? ""
        let text = "{\"installed\":{\"client_id\":\"id\",\"client_secret\":\"s\"\(member)}}"
        return try .google(GoogleClientFile(parsing: Array(text.utf8)), insecure: insecure)
    }

    @Test(
        "Maps all authorization URLs of Google, including old ones, to the current endpoints",
        arguments: [
            nil, "https://accounts.google.com/o/oauth2/auth", "https://accounts.google.com/o/oauth2/v2/auth",
            "https://ACCOUNTS.google.com/o/oauth2/auth", "https://www.googleapis.com/oauth2/auth",
        ] as [String?]
    )
    func endpoints(_ uri: String?) throws {
        let provider = try Self.provider(uri)
        #expect(provider.name == "Google")
        #expect(provider.issuer.url == "https://accounts.google.com")
        #expect(provider.metadata?.authorizationEndpoint?.url == "https://accounts.google.com/o/oauth2/v2/auth")
        #expect(provider.metadata?.tokenEndpoint?.url == "https://oauth2.googleapis.com/token")
        #expect(provider.metadata?.revocationEndpoint?.url == "https://oauth2.googleapis.com/revoke")
        #expect(provider.metadata?.jwksURI?.url == "https://www.googleapis.com/oauth2/v3/certs")
        #expect(provider.issuerAliases == ["accounts.google.com"])
        #expect(provider.client.authentication == .clientSecretPost)
        #expect(provider.insecure == [])
    }

    @Test(
        "Treats any other authorization URL as another provider without Google's settings",
        arguments: [
            ("https://accounts.google.com.evil.example/o/oauth2/auth", "https://accounts.google.com.evil.example"),
            ("https://googleapis.com.evil.com/auth", "https://googleapis.com.evil.com"),
            ("https://evilgoogleapis.com/auth", "https://evilgoogleapis.com"),
            ("https://provider.example:8443/o/oauth2/auth", "https://provider.example:8443"),
        ]
    )
    func otherProvider(uri: String, issuer: String) throws {
        let provider = try Self.provider(uri)
        #expect(provider.issuer.url == issuer)
        #expect(provider.metadata == nil)
        #expect(provider.issuerAliases == [])
        #expect(provider.authorizedOrigins.map(\.description) == [issuer])
    }

    @Test(
        "Rejects an untrusted or invalid authorization URL",
        arguments: [
            ("http://accounts.google.com/o/oauth2/auth", "metadata.issuerForm"),
            ("http://127.0.0.1:9/auth", "metadata.issuerForm"),
            ("ftp://provider.example/auth", "metadata.issuerForm"), ("not a url", "InvalidRequestError client file"),
            ("", "InvalidRequestError client file"), ("/o/oauth2/auth", "InvalidRequestError client file"),
            ("https://provider.example:99999/auth", "InvalidRequestError client file"),
            ("https://accounts.google.com@evil.example/auth", "InvalidRequestError client file"),
            ("mailto:a@b", "InvalidRequestError client file"),
            ("https://accounts.google.com%2f.evil.example/", "InvalidRequestError client file"),
        ]
    )
    func refused(uri: String, expected: String) {
        #expect(outcome { try Self.provider(uri) } == expected)
    }

    @Test("Permits a local provider over plain HTTP only if loopback HTTP is allowed")
    func localProvider() throws {
        let provider = try Self.provider("http://127.0.0.1:9000/o/oauth2/auth", insecure: .loopbackHTTP)
        #expect(provider.issuer.url == "http://127.0.0.1:9000")
        #expect(provider.insecure == .loopbackHTTP)
        #expect(provider.authorizationParameters == ["access_type": "offline"])
        #expect(
            outcome { try Self.provider("http://provider.example/auth", insecure: .loopbackHTTP) }
                == "metadata.issuerForm"
        )
    }

    @Test("Treats a client without a secret as public", .covers(62))
    func publicClient() throws {
        let file = try GoogleClientFile(parsing: Array(#"{"installed":{"client_id":"id"}}"#.utf8))
        #expect(try Provider.google(file).client.authentication == ClientAuthentication.publicClient)
    }

    @Test(
        "Authorizes only HTTPS hosts below googleapis.com",
        .covers(120),
        arguments: [
            ("https", "www.googleapis.com", true), ("https", "drive.googleapis.com:443", true),
            ("https", "a.b.googleapis.com", true), ("https", "WWW.GoogleAPIs.com", true),
            ("http", "www.googleapis.com", false), ("https", "googleapis.com", false),
            ("https", "googleapis.com.evil.com", false),
            ("https", "www.googleapis.com.evil.com", false), ("https", "evilgoogleapis.com", false),
            ("https", "www.googleapis.com:444", false), ("https", "www.googleapis.com.", false),
            ("https", ".googleapis.com", false),
            ("https", "www.googleapis.com@evil.com", false), ("https", "evil.com@www.googleapis.com", false),
            ("https", "evil.com/.googleapis.com", false), ("https", "evil.com?.googleapis.com", false),
            ("https", "evil.com#.googleapis.com", false), ("https", "evil.com\\.googleapis.com", false),
            ("https", "evil.com%2f.googleapis.com", false), ("https", "evil.com%00.googleapis.com", false),
            ("https", "evil.com:443.googleapis.com", false), ("https", "", false), ("https", "[::1]", false),
            ("https", "www.google\u{FF41}pis.com", false), ("HTTPS", "www.googleapis.com", false),
        ]
    )
    func origins(scheme: String, authority: String, isAuthorized: Bool) throws {
        let origins = try Self.provider(nil).authorizedOrigins
        #expect(origins.contains { $0.contains(scheme: scheme, authority: authority) } == isAuthorized)
        #expect(origins.map(\.description) == ["https://*.googleapis.com"])
    }

    @Test("Treats Google's two spellings of a scope as equal")
    func scopes() throws {
        let aliases = try Self.provider(nil).scopeAliases
        let granted = GrantedScopes(
            requested: [.openID, .email, .profile, "https://www.googleapis.com/auth/drive"],
            granted: [
                .openID, "https://www.googleapis.com/auth/userinfo.email",
                "https://www.googleapis.com/auth/userinfo.profile",
            ],
            aliases: aliases
        )
        #expect(granted.missing == ["https://www.googleapis.com/auth/drive"])
        #expect(granted.unrequested == [])
        #expect(granted.contains("https://www.googleapis.com/auth/userinfo.email"))
        #expect(granted.contains(.email))
        #expect(!granted.contains("https://www.googleapis.com/auth/userinfo"))
    }
}
