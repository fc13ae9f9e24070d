// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraMigration
internal import Testing

@Suite("GTMOAuth2 persistence string")
struct GTMOAuth2PersistenceStringTests {
    private static let text =
        "access_token=at%2B1&refresh_token=rt&scope=email%20profile&serviceProvider=Google&userEmail=ann%40example.com"
        + "&userEmailIsVerified=y&userID=42"

    @Test("Round-trips a string that GTMAppAuth wrote")
    func roundTrip() {
        let string = GTMOAuth2PersistenceString(parsing: Self.text)
        #expect(string[GTMOAuth2PersistenceString.Key.accessToken] == "at+1")
        #expect(string[GTMOAuth2PersistenceString.Key.scope] == "email profile")
        #expect(string[GTMOAuth2PersistenceString.Key.userEmail] == "ann@example.com")
        #expect(string.encoded == Self.text)
    }

    @Test(
        "Round-trips every character, including those that GTMAppAuth left unescaped",
        arguments: ["a%41b", "% # [ ]", "ü&=+", "a\u{0}b"]
    )
    func everyCharacter(_ value: String) {
        let string = GTMOAuth2PersistenceString(["scope": value])
        #expect(GTMOAuth2PersistenceString(parsing: string.encoded)["scope"] == value)
    }

    @Test(
        "Reads as much of a damaged string as possible",
        arguments: [("a=1&a=2", "2"), ("&&a=b=c", "b=c"), ("a", ""), ("a=%zz", "%zz"), ("=x&a=1", "1")]
    )
    func damaged(_ text: String, _ value: String) {
        #expect(GTMOAuth2PersistenceString(parsing: text)["a"] == value)
    }

    @Test("No description of a GTMOAuth2 string contains a token")
    func isHidden() {
        let string = GTMOAuth2PersistenceString(parsing: Self.text)
        var dumped = ""
        dump(string, to: &dumped)
        for text in [String(describing: string), String(reflecting: string), dumped] {
            #expect(!text.contains("at+1"))
            #expect(!text.contains("rt"))
        }
    }
}
