// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("Utility classes of AppAuth")
struct UtilitiesOriginalTests {
    @Test(
        "Joins scopes with spaces",
        .original("AppAuth OIDScopeUtilities.scopesWithArray:"),
        arguments: [(["openid", "email"], "openid email"), (["openid"], "openid"), ([], "")]
    )
    func joined(scopes: [String], text: String) {
        #expect(OIDScopeUtilities.scopes(with: scopes) == text)
    }

    @Test(
        "Joins scopes with characters that are not allowed and does not end the app",
        .original("AppAuth OIDAuthorizationRequestTests.testDisallowedCharactersInScopes")
    )
    func disallowed() {
        #expect(OIDScopeUtilities.scopes(with: ["a b", "\"", "", "\u{7F}"]) == "a b \"  \u{7F}")
    }

    @Test(
        "Splits scopes at each space",
        .original("AppAuth OIDScopeUtilities.scopesArrayWithString:"),
        arguments: [
            ("openid email", ["openid", "email"]), ("a  b", ["a", "", "b"]), ("openid", ["openid"]), ("", [""]),
        ]
    )
    func split(text: String, scopes: [String]) {
        #expect(OIDScopeUtilities.scopesArray(with: text) == scopes)
    }

    @Test(
        "The redacted text contains nothing of the secret",
        .original("AppAuth OIDTokenUtilitiesTests.testRedact"),
        arguments: ["0123456789", "01234", "0"]
    )
    func redacted(secret: String) {
        #expect(OIDTokenUtilities.redact(secret) == "[redacted]")
    }

    @Test(
        "Redacting keeps nil and an empty text",
        .original("AppAuth OIDTokenUtilitiesTests.testRedactWithNilParamater"),
        arguments: [nil, ""]
    )
    func redactedNothing(text: String?) {
        #expect(OIDTokenUtilities.redact(text) == text)
    }

    @Test(
        "Form encoding writes a space as + and leaves letters, digits and *-._ unchanged",
        .original("AppAuth OIDTokenUtilitiesTests.testFormUrlEncode"),
        arguments: [
            ("t _9V-F*I+Z1Lk.u7:2/8L+w=", "t+_9V-F*I%2BZ1Lk.u7%3A2%2F8L%2Bw%3D"), ("~", "%7E"), ("%2A", "%252A"),
            ("é", "%C3%A9"), ("", ""),
        ]
    )
    func formEncoded(text: String, encoded: String) {
        #expect(OIDTokenUtilities.formUrlEncode(text) == encoded)
    }

    @Test(
        "Encodes data in base64url without padding",
        .original("AppAuth OIDTokenUtilities.encodeBase64urlNoPadding:"),
        arguments: [
            ([0xFB, 0xFF, 0xFE], "-__-"), ([0xFF], "_w"), ([0xFF, 0xFF], "__8"), ([], ""),
        ] as [([UInt8], String)]
    )
    func base64URL(bytes: [UInt8], encoded: String) {
        #expect(OIDTokenUtilities.encodeBase64urlNoPadding(Data(bytes)) == encoded)
    }

    @Test(
        "A random text has the length of its bytes in base64url",
        .original("AppAuth OIDTokenUtilities.randomURLSafeStringWithSize:"),
        arguments: [(0, 0), (1, 2), (32, 43)] as [(UInt, Int)]
    )
    func random(size: UInt, length: Int) throws {
        let text = try #require(OIDTokenUtilities.randomURLSafeString(withSize: size))
        #expect(text.count == length)
        #expect(text.wholeMatch(of: /[A-Za-z0-9_-]*/) != nil)
    }

    @Test(
        "Two random texts differ",
        .original("AppAuth OIDTokenUtilities.randomURLSafeStringWithSize:")
    )
    func different() {
        let texts = (0..<2).map { _ in OIDTokenUtilities.randomURLSafeString(withSize: 32) }
        #expect(texts[0] != texts[1])
    }

    @Test("Hashes the UTF-8 bytes of a text with SHA-256", .original("AppAuth OIDTokenUtilities.sha256:"))
    func hash() {
        let hash = OIDTokenUtilities.sha256("abc")
        #expect(hash.base64EncodedString() == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        #expect(OIDTokenUtilities.encodeBase64urlNoPadding(OIDTokenUtilities.sha256("é")).count == 43)
    }

    @Test("A field mapping stores its arguments", .original("AppAuth OIDFieldMapping.h"))
    func mapping() {
        let mapping = OIDFieldMapping(name: "_issuer", type: NSURL.self, conversion: OIDFieldMapping.urlConversion())
        #expect(mapping.name == "_issuer")
        #expect(ObjectIdentifier(mapping.expectedType) == ObjectIdentifier(NSURL.self))
        #expect(mapping.conversion != nil)
        #expect(OIDFieldMapping(name: "_scope", type: NSString.self).conversion == nil)
    }

    @Test("Converts a text to a URL", .original("AppAuth OIDFieldMapping.URLConversion"))
    func urlConversion() {
        let convert = OIDFieldMapping.urlConversion()
        let url = convert(NSString(string: "https://www.example.com/")) as? URL
        #expect(url?.absoluteString == "https://www.example.com/")
        #expect(convert(NSNumber(value: 1)) as? NSNumber == NSNumber(value: 1))
        #expect(convert(nil) == nil)
    }

    @Test(
        "Converts whole seconds since 1970 to a date",
        .original("AppAuth OIDFieldMapping.dateEpochConversion"),
        arguments: [(1_000, 1_000), (1_000.9, 1_000), (-1, -1)] as [(Double, Double)]
    )
    func epochConversion(seconds: Double, date: Double) {
        let convert = OIDFieldMapping.dateEpochConversion()
        #expect(convert(NSNumber(value: seconds)) as? Date == Date(timeIntervalSince1970: date))
        #expect(convert(NSString(string: "1000")) is NSString)
    }

    @Test("Converts seconds from now to a date", .original("AppAuth OIDFieldMapping.dateSinceNowConversion"))
    func sinceNowConversion() throws {
        let date = OIDFieldMapping.dateSinceNowConversion()(NSNumber(value: 100_000)) as? Date
        let seconds = try #require(date?.timeIntervalSinceNow)
        #expect((90_000...100_000).contains(seconds))
    }
}
