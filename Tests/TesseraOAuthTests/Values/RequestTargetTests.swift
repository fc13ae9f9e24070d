// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import Testing

@Suite("Request target")
struct RequestTargetTests {
    /// The target's URL, or the code of the error.
    private static func outcome(_ request: HTTPRequest, after last: RequestOrigin? = nil) -> String {
        do {
            return try RequestTarget(request, insecure: .loopbackHTTP, after: last).url
        } catch {
            return error.code.description
        }
    }

    @Test(
        "A remembered origin does not change how another request is checked",
        arguments: [
            ("https", "K.example:8443", "https://K.example:8443/p?q"), ("https", "\u{212A}.example:8443", "invalidURL"),
            ("https", "k.example:8443", "https://k.example:8443/p?q"), ("https", "K.example:", "invalidURL"),
            ("https", "K.example:8444", "https://K.example:8444/p?q"), ("https", "K.example", "https://K.example/p?q"),
            ("https", "K.example:8443@evil.example", "invalidURL"), ("https", "u@K.example:8443", "invalidURL"),
            ("https", "", "invalidURL"), ("http", "K.example:8443", "insecureURL"),
            ("HTTPS", "K.example:8443", "invalidURL"), ("", "K.example:8443", "invalidURL"),
            ("http", "localhost", "http://localhost/p?q"),
        ]
    )
    func rememberedOrigin(scheme: String, authority: String, expected: String) throws {
        let known = HTTPRequest(method: .get, scheme: "https", authority: "K.example:8443", path: "/")
        let last = try RequestTarget(known, insecure: .loopbackHTTP).origin
        let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/p?q")
        #expect(Self.outcome(request) == expected)
        #expect(Self.outcome(request, after: last) == expected)
    }

    @Test(
        "Rejects an invalid path, even at a remembered origin",
        arguments: ["", "p", "/a b", "/a#b", "/a\\b", "/\u{E9}", "/\nb", "*", "https://other.example/"]
    )
    func refusedPath(_ path: String) throws {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "h.example", path: "/")
        let last = try RequestTarget(request, insecure: []).origin
        request.path = path
        #expect(Self.outcome(request) == "invalidURL")
        #expect(Self.outcome(request, after: last) == "invalidURL")
    }

    @Test("Does not treat canonically equivalent text as equal to ASCII text", arguments: ["K", ";", "`"])
    func asciiTexts(_ ascii: String) {
        let equivalents = (0x80...0x2_FFFF).compactMap { UnicodeScalar($0).map { String($0) } }.filter { $0 == ascii }
        #expect(equivalents.count == 1)
        #expect(equivalents.allSatisfy { !$0.equals(ascii: ascii) })
        #expect(ascii.equals(ascii: ascii))
    }
}
