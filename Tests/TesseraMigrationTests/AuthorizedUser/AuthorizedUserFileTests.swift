// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraJSON
internal import TesseraMigration
internal import TesseraOAuth
internal import Testing

@Suite("Credential files of Google's tools")
struct AuthorizedUserFileTests {
    /// A file as gcloud writes it.
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

    /// A file as google-auth's `to_json()` writes it.
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
            _ = try ImportedCredentials(parsing: Array(text.utf8))
            return nil
        } catch {
            return error.code
        }
    }

    @Test("Reads a gcloud file as credentials issued by Google")
    func gcloud() throws {
        let file = try Self.read(Self.gcloud)
        #expect(file.format == .authorizedUser)
        #expect(file.quotaProjectID == "my-project")
        #expect(file.account == nil)
        #expect(file.tokenURI == nil)
        #expect(file.scopes == nil)
        #expect(file.accessToken == nil)
        let imported = try ImportedCredentials(file)
        #expect(imported.credentials == ExistingCredentials(refreshToken: Secret("refresh-canary"), scopes: []))
        let provider = try imported.googleProvider()
        #expect(provider.client.clientSecret == Secret("secret-canary"))
        #expect(provider.client.authentication == .clientSecretPost)
    }

    @Test("Reads a google-auth file with its expiry in whole seconds")
    func token() throws {
        let file = try Self.read(Self.token)
        #expect(file.format == .token)
        #expect(file.accessToken == Secret("access-canary"))
        #expect(file.expiry == Date(timeIntervalSince1970: 1_777_636_800))
        #expect(file.scopes == [.openID, "https://www.googleapis.com/auth/drive"])
        #expect(try ImportedCredentials(file).isIssuedByGoogle)
        let text = Self.token.replacing(
            #"["openid", "https://www.googleapis.com/auth/drive"]"#,
            with: #""openid email""#
        )
        #expect(try Self.read(text).scopes == [.openID, .email])
    }

    @Test("Writes a file with all its members, including unknown ones, in order")
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
        "Rejects invalid or duplicate members without exposing their values",
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
        #expect { try ImportedCredentials(parsing: Array(text.utf8)) } throws: { error in
            MigrationError.Code.damaged ~= error && !"\(error)".contains("canary")
        }
    }

    @Test("Reports which other kind of credentials a file contains")
    func others() throws {
        #expect(Self.code(#"{"type": "service_account", "client_id": "1", "private_key": "canary"}"#) == .noCredentials)
        #expect(Self.code(#"{"type": "external_account", "client_id": "1"}"#) == .noCredentials)
        let client = #"{"installed": {"client_id": "1", "client_secret": "canary"}}"#
        #expect { try ImportedCredentials(parsing: Array(client.utf8)) } throws: { error in
            MigrationError.Code.noCredentials ~= error && "\(error)".contains("tessera login --client")
        }
        #expect(Self.code(Self.token.replacing("refresh_token", with: "none")) == .noRefreshToken)
        #expect(Self.code(Self.gcloud.replacing("googleapis.com\"\n", with: "example.com\"\n")) == .anotherProvider)
        for text in ["", " ", "x", "{", "[]", "\u{FEFF}{}", "a=1&b=2"] { #expect(Self.code(text) != nil, "\(text)") }
    }

    @Test("No description of a credential file contains a secret")
    func isHidden() throws {
        let file = try Self.read(Self.token.replacing("}", with: #", "x": "unknown-canary"}"#))
        var dumped = ""
        dump(file, to: &dumped)
        dump(try ImportedCredentials(file), to: &dumped)
        for text in [String(describing: file), String(reflecting: file), "\(try ImportedCredentials(file))", dumped] {
            #expect(!text.contains("canary"))
        }
    }
}
