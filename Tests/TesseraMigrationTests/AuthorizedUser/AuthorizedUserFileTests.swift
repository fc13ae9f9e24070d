// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraJSON
internal import TesseraMigration
internal import TesseraOAuth
internal import Testing

@Suite("Files of credentials of Google's tools")
struct AuthorizedUserFileTests {
    /// As gcloud writes it.
    static let gcloud = """
        {
          "account": "",
          "client_id": "764086051850.apps.googleusercontent.com",
          "client_secret": "secret-canary",
          "quota_project_id": "my-project",
          "refresh_token": "refresh-canary",
          "type": "authorized_user",
          "universe_domain": "googleapis.com"
        }
        """

    /// As google-auth's `to_json()` writes it.
    static let token = #"""
        {"token": "access-canary", "refresh_token": "refresh-canary", "token_uri": "https://oauth2.googleapis.com/token", \#
        "client_id": "client", "client_secret": "secret-canary", "scopes": ["openid", \#
        "https://www.googleapis.com/auth/drive"], "universe_domain": "googleapis.com", "account": "", \#
        "expiry": "2026-05-01T12:00:00.654321Z"}
        """#

    private static func read(_ text: String) throws -> AuthorizedUserFile {
        try AuthorizedUserFile(parsing: Array(text.utf8))
    }

    private static func code(_ text: String) -> MigrationError.Code? {
        do {
            _ = try ImportedGrant(parsing: Array(text.utf8))
            return nil
        } catch {
            return error.code
        }
    }

    @Test("gcloud's is read, and is Google's")
    func gcloud() throws {
        let file = try Self.read(Self.gcloud)
        #expect(file.format == .authorizedUser)
        #expect(file.quotaProjectID == "my-project")
        #expect(file.account == nil)
        #expect(file.tokenURI == nil)
        #expect(file.scopes == nil)
        #expect(file.accessToken == nil)
        let imported = try ImportedGrant(file)
        #expect(imported.grant == ExistingGrant(refreshToken: Secret("refresh-canary"), scopes: []))
        let provider = try imported.googleProvider()
        #expect(provider.client.clientSecret == Secret("secret-canary"))
        #expect(provider.client.authentication == .clientSecretPost)
    }

    @Test("google-auth's is read, its time to the second")
    func token() throws {
        let file = try Self.read(Self.token)
        #expect(file.format == .token)
        #expect(file.accessToken == Secret("access-canary"))
        #expect(file.expiry == Date(timeIntervalSince1970: 1_777_636_800))
        #expect(file.scopes == [.openID, "https://www.googleapis.com/auth/drive"])
        #expect(try ImportedGrant(file).isGoogles)
        let text = Self.token.replacing(
            #"["openid", "https://www.googleapis.com/auth/drive"]"#,
            with: #""openid email""#
        )
        #expect(try Self.read(text).scopes == [.openID, .email])
    }

    @Test("Written again it has everything that it had, also what is not known here, in its order")
    func rewritten() throws {
        for text in [Self.gcloud, Self.token.replacing("654321", with: "000000")] {
            let more = String(text.dropLast()) + #", "trust_boundary": {"a": [1.0, null]}, "x": "unknown-canary"}"#
            var file = try Self.read(more)
            let written = String(decoding: file.encoded(), as: UTF8.self)
            let names = try #require(try JSONValue(parsing: more).members).map(\.name)
            #expect(try #require(try JSONValue(parsing: written).members).map(\.name) == names)
            #expect(try Self.read(written).encoded() == file.encoded())
            #expect(written.contains("1.0"))
            #expect(written.contains("unknown-canary"))
            file.refreshToken = Secret("another")
            file.quotaProjectID = nil
            let changed = try JSONValue(parsing: file.encoded())
            #expect(changed["refresh_token"]?.string == "another")
            #expect(changed["quota_project_id"] == nil)
            #expect(changed["x"]?.string == "unknown-canary")
        }
    }

    @Test(
        "With another type in a member's place, two members of a name or an empty client is damaged; no value is told",
        arguments: [
            (#""refresh_token": "refresh-canary""#, #""refresh_token": ["refresh-canary"]"#),
            (#""refresh_token": "refresh-canary""#, #""refresh_token": "a", "refresh_token": "refresh-canary""#),
            (#""client_id": "client""#, #""client_id": """#), (#""client_id": "client""#, #""client": "x""#),
            (#""scopes": ["openid", "#, #""scopes": [1, "#), (#""scopes": ["#, #""scopes": {}, "y": ["#),
            ("2026-05-01T12:00:00.654321Z", "tomorrow"), ("2026-05-01T12:00:00.654321Z", "2026-05-01T12:00:00+02:00"),
            ("2026-05-01T12:00:00.654321Z", "20260-5-01T12:00:00Z"),
            ("2026-05-01T12:00:00.654321Z", "2026-02-30T12:00:00Z"),
            (#""token_uri": "https://oauth2.googleapis.com/token""#, #""token_uri": 7"#),
        ]
    )
    func damaged(_ part: String, _ other: String) throws {
        #expect(Self.token.contains(part))
        let text = Self.token.replacing(part, with: other)
        #expect { try ImportedGrant(parsing: Array(text.utf8)) } throws: { error in
            MigrationError.Code.damaged ~= error && !"\(error)".contains("canary")
        }
    }

    @Test("That is another kind of credentials says which")
    func others() throws {
        #expect(Self.code(#"{"type": "service_account", "client_id": "1", "private_key": "canary"}"#) == .notAGrant)
        #expect(Self.code(#"{"type": "external_account", "client_id": "1"}"#) == .notAGrant)
        let client = #"{"installed": {"client_id": "1", "client_secret": "canary"}}"#
        #expect { try ImportedGrant(parsing: Array(client.utf8)) } throws: { error in
            MigrationError.Code.notAGrant ~= error && "\(error)".contains("tessera login --client")
        }
        #expect(Self.code(Self.token.replacing("refresh_token", with: "none")) == .noRefreshToken)
        #expect(Self.code(Self.gcloud.replacing("googleapis.com\"\n", with: "example.com\"\n")) == .anotherProvider)
        for text in ["", " ", "x", "{", "[]", "\u{FEFF}{}", "a=1&b=2"] { #expect(Self.code(text) != nil, "\(text)") }
    }

    @Test("Neither a description nor a dump shows a secret")
    func isHidden() throws {
        let file = try Self.read(Self.token.replacing("}", with: #", "x": "unknown-canary"}"#))
        var dumped = ""
        dump(file, to: &dumped)
        dump(try ImportedGrant(file), to: &dumped)
        for text in [String(describing: file), String(reflecting: file), "\(try ImportedGrant(file))", dumped] {
            #expect(!text.contains("canary"))
        }
    }
}
