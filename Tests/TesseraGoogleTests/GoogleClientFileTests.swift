// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGoogle
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("Google client files")
struct GoogleClientFileTests {
    private static func read(_ text: String) throws -> GoogleClientFile {
        try GoogleClientFile(parsing: Array(text.utf8))
    }

    @Test("Reads the client file of a desktop client")
    func installed() throws {
        let file = try Self.read(
            """
            {"installed":{"client_id":"1.apps.googleusercontent.com","project_id":"p","client_secret":"GOCSPX-x",\
            "auth_uri":"https://accounts.google.com/o/oauth2/auth","token_uri":"https://oauth2.googleapis.com/token",\
            "auth_provider_x509_cert_url":"https://www.googleapis.com/oauth2/v1/certs","redirect_uris":["http://localhost"]}}
            """
        )
        #expect(file.kind == .installed)
        #expect(file.clientID == "1.apps.googleusercontent.com")
        #expect(file.projectID == "p")
        #expect(file.clientSecret == Secret("GOCSPX-x"))
        #expect(file.redirectURIs == ["http://localhost"])
        #expect(file.authorizationURI == "https://accounts.google.com/o/oauth2/auth")
        #expect(file.tokenURI == "https://oauth2.googleapis.com/token")
        #expect(!"\(file)".contains("GOCSPX-x"))
    }

    @Test("Reads the client file of a web client, with nil for missing members")
    func web() throws {
        let file = try Self.read(#"{"web":{"client_id":"id","redirect_uris":["https://a/cb","https://b/cb"]}}"#)
        #expect(file.kind == .web)
        #expect(file.redirectURIs == ["https://a/cb", "https://b/cb"])
        #expect(file.clientSecret == nil)
        #expect(file.projectID == nil)
        #expect(file.authorizationURI == nil)
        #expect(try Self.read(#"{"web":{"client_id":"id","client_secret":""}}"#).clientSecret == nil)
    }

    @Test(
        "Explains the problem of an invalid client file",
        arguments: [
            ("", "not JSON"), ("{", "not JSON"), ("client_id", "not JSON"), ("\u{FEFF}{}", "not JSON"),
            ("{\"installed\":{},\"installed\":{}}", "not JSON"), ("[]", "neither"), ("null", "neither"),
            ("{}", "neither"),
            (#"{"type":"service_account","client_id":"1"}"#, "neither"), (#"{"client_id":"1"}"#, "neither"),
            (#"{"installed":{}}"#, "no client_id"), (#"{"installed":[]}"#, "no client_id"),
            (#"{"web":null}"#, "no client_id"),
            (#"{"web":{"client_id":""}}"#, "no client_id"), (#"{"web":{"client_id":5}}"#, "no client_id"),
            ("{\"web\":{\"client_id\":\"" + String(repeating: "x", count: 1 << 16) + "\"}}", "not JSON"),
        ]
    )
    func broken(text: String, word: String) {
        let error = #expect(throws: InvalidRequestError.self) { try Self.read(text) }
        #expect(error?.name == "client file")
        #expect(error?.reason.contains(word) == true)
        #expect(error?.reason.contains("client_secret.json") == true)
    }

    @Test(
        "Does not print the contents of a client file in an error",
        .covers(124),
        arguments: [
            #"{"installed":{"client_secret":"CANARY"}}"#, #"{"installed":{"client_id":5,"client_secret":"CANARY"#,
            "CANARY",
        ]
    )
    func redaction(text: String) {
        let error = #expect(throws: InvalidRequestError.self) { try Self.read(text) }
        #expect(!"\(error as Any)".contains("CANARY"))
    }

    @Test("Names a missing client file in the error")
    func missingFile() {
        let error = #expect(throws: InvalidRequestError.self) {
            try Provider.google(clientFile: "/nowhere/client_secret.json")
        }
        #expect("\(error as Any)".contains("/nowhere/client_secret.json"))
    }
}
