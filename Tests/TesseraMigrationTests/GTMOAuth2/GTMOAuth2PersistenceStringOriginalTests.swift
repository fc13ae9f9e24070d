// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestTraits
internal import TesseraMigration
internal import Testing

@Suite("GTMOAuth2 persistence string, as in GTMAppAuth")
struct GTMOAuth2PersistenceStringOriginalTests {
    @Test("Sorts the keys", .original("GTMAppAuth GTMOAuth2Compatibility.persistenceResponseString(forAuthSession:)"))
    func order() {
        let string = GTMOAuth2PersistenceString(["userID": "1", "access_token": "2", "scope": "3", "Zone": "4"])
        #expect(string.encoded == "Zone=4&access_token=2&scope=3&userID=1")
    }

    @Test(
        "Escapes all characters that have a meaning",
        .original("GTMAppAuth GTMOAuth2Compatibility.persistenceResponseString(forAuthSession:)")
    )
    func escapes() {
        let string = GTMOAuth2PersistenceString(["scope": "a b+c&d=e/\u{e9}"])
        #expect(string.encoded == "scope=a%20b%2Bc%26d%3De%2F%C3%A9")
        #expect(GTMOAuth2PersistenceString(parsing: string.encoded) == string)
    }

    @Test(
        "Escapes percent signs, number signs and brackets, unlike GTMAppAuth",
        .original("GTMAppAuth GTMOAuth2Compatibility.persistenceResponseString(forAuthSession:)")
    )
    func percentSign() {
        let string = GTMOAuth2PersistenceString(["scope": "100%#[x]"])
        #expect(string.encoded == "scope=100%25%23%5Bx%5D")
        #expect(GTMOAuth2PersistenceString(parsing: string.encoded) == string)
    }

    @Test(
        "Reads a text that GTMAppAuth cannot read or misreads",
        .original("GTMAppAuth GTMOAuth2Compatibility.authSession(forPersistenceString:)"),
        arguments: [
            ("scope", ["scope": ""]), ("userEmail=100%&userID=1", ["userEmail": "100%", "userID": "1"]),
            ("scope=a&scope=b", ["scope": "b"]), ("refresh_token=a=b", ["refresh_token": "a=b"]),
        ]
    )
    func lenient(text: String, values: [String: String]) {
        #expect(GTMOAuth2PersistenceString(parsing: text) == GTMOAuth2PersistenceString(values))
    }
}
