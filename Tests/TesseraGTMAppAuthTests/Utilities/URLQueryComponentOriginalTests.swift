// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("OIDURLQueryComponent of AppAuth")
struct URLQueryComponentOriginalTests {
    @Test("Has no parameters at first", .original("AppAuth OIDURLQueryComponent.init"))
    func empty() {
        let query = OIDURLQueryComponent()
        #expect(query.parameters.isEmpty)
        #expect(query.dictionaryValue.isEmpty)
        #expect(query.values(forParameter: "a").isEmpty)
        #expect(query.urlEncodedParameters().isEmpty)
    }

    @Test("Adds a parameter", .original("AppAuth OIDURLQueryComponentTests.testAddingParameter"))
    func one() {
        let query = OIDURLQueryComponent()
        query.addParameter("name", value: "first")
        #expect(query.parameters == ["name"])
        #expect(query.values(forParameter: "name") == ["first"])
        #expect(query.dictionaryValue["name"] as? String == "first")
    }

    @Test(
        "Keeps the order of the values of a repeated parameter",
        .original("AppAuth OIDURLQueryComponentTests.testAddingTwoParameters")
    )
    func repeated() {
        let query = OIDURLQueryComponent()
        query.addParameter("name", value: "second")
        query.addParameter("other", value: "x")
        query.addParameter("name", value: "first")
        #expect(query.values(forParameter: "name") == ["second", "first"])
        #expect(Set(query.parameters) == ["name", "other"])
        #expect(query.dictionaryValue["name"] as? [String] == ["second", "first"])
        #expect(query.dictionaryValue["other"] as? String == "x")
    }

    @Test(
        "Adds a dictionary of parameters to those that exist",
        .original("AppAuth OIDURLQueryComponentTests.testAddingThreeParameters")
    )
    func dictionary() {
        let query = OIDURLQueryComponent()
        query.addParameter("b", value: "1")
        query.addParameters(["a": "2", "b": "3", "c": "4"])
        #expect(query.values(forParameter: "a") == ["2"])
        #expect(query.values(forParameter: "b") == ["1", "3"])
        #expect(query.dictionaryValue.count == 3)
    }

    @Test(
        "Escapes everything that is not allowed in a value and writes a space as %20",
        .original("AppAuth OIDURLQueryComponentTests.test_formurlencoded_encoding"),
        arguments: [
            (" %&+£€", "%20%25%26%2B%C2%A3%E2%82%AC"), ("Va=l&u#e2", "Va%3Dl%26u%23e2"), ("a\"<>\\^`{|}b", nil),
            ("com.example.app:/cb", "com.example.app:/cb"), ("a@b.c", "a@b.c"), ("a/b?c", "a/b?c"),
            ("-._~!$'()*,;:", "-._~!$'()*,;:"), ("", ""),
        ] as [(String, String?)]
    )
    func encoding(value: String, encoded: String?) throws {
        let query = OIDURLQueryComponent()
        query.addParameter("name", value: value)
        let text = query.urlEncodedParameters()
        if let encoded { #expect(text == "name=\(encoded)") }
        let parsed = try #require(OIDURLQueryComponent(url: try Samples.url("https://www.example.com/?\(text)")))
        #expect(parsed.values(forParameter: "name") == [value])
    }

    @Test(
        "Escapes the characters in a name",
        .original("AppAuth OIDURLQueryComponentTests.testBuildingParameterStringWithSimpleParameters")
    )
    func names() throws {
        let query = OIDURLQueryComponent()
        query.addParameter("Param+eter", value: "Va=l&u#e2")
        query.addParameter("Par=am", value: "b")
        let text = query.urlEncodedParameters()
        #expect(text == "Param%2Beter=Va%3Dl%26u%23e2&Par%3Dam=b")
        let parsed = try #require(OIDURLQueryComponent(url: try Samples.url("https://www.example.com/?\(text)")))
        #expect(parsed.values(forParameter: "Param+eter") == ["Va=l&u#e2"])
        #expect(parsed.values(forParameter: "Par=am") == ["b"])
    }

    @Test(
        "Reads %20 and + in a URL as spaces",
        .original("AppAuth OIDURLQueryComponentTests.testParsingQueryString"),
        arguments: ["https://www.example.com/?a=b%20c&d=%2B#f=g", "https://www.example.com/?a=b+c&d=%2B"]
    )
    func parsing(url: String) throws {
        let query = try #require(OIDURLQueryComponent(url: try Samples.url(url)))
        #expect(Set(query.parameters) == ["a", "d"])
        #expect(query.values(forParameter: "a") == ["b c"])
        #expect(query.values(forParameter: "d") == ["+"])
    }

    @Test("Reads a URL without a query", .original("AppAuth OIDURLQueryComponent.initWithURL:"))
    func noQuery() throws {
        let query = try #require(OIDURLQueryComponent(url: try Samples.url("com.example.app:/callback")))
        #expect(query.parameters.isEmpty)
    }

    @Test(
        "A parameter without a value is empty and does not end the app",
        .original("AppAuth OIDURLQueryComponent.initWithURL:")
    )
    func noValue() throws {
        let query = try #require(OIDURLQueryComponent(url: try Samples.url("com.example.app:/callback?a&b=&c=1")))
        #expect(query.values(forParameter: "a") == [""])
        #expect(query.values(forParameter: "b") == [""])
        #expect(query.values(forParameter: "c") == ["1"])
    }

    @Test(
        "Reads no URL with an escape that is not UTF-8",
        .original("AppAuth OIDURLQueryComponent.initWithURL:")
    )
    func invalidEscape() throws {
        #expect(OIDURLQueryComponent(url: try Samples.url("com.example.app:/callback?a=%FF")) == nil)
    }

    @Test(
        "Replaces the query of a URL and keeps its fragment",
        .original("AppAuth OIDURLQueryComponent.URLByReplacingQueryInURL:"),
        arguments: [
            ("https://www.example.com/p", "https://www.example.com/p?a=b%20c"),
            ("https://www.example.com/p?x=1&y", "https://www.example.com/p?a=b%20c"),
            ("https://www.example.com/p?x=1#top", "https://www.example.com/p?a=b%20c#top"),
            ("https://www.example.com#top?x", "https://www.example.com?a=b%20c#top?x"),
        ]
    )
    func replacing(url: String, replaced: String) throws {
        let query = OIDURLQueryComponent()
        query.addParameter("a", value: "b c")
        #expect(query.urlByReplacingQuery(in: try Samples.url(url)).absoluteString == replaced)
    }

    @Test(
        "The allowed characters are those of a query except =, & and +",
        .original("AppAuth OIDURLQueryComponent.URLParamValueAllowedCharacters")
    )
    func allowed() {
        let characters = OIDURLQueryComponent.urlParamValueAllowedCharacters()
        func contains(_ text: String) -> [Bool] { text.utf16.map { characters.characterIsMember($0) } }
        #expect(!contains("azAZ09-._~!$'()*,;:@/?").contains(false))
        #expect(!contains("=&+ #%\"<>\\^`{|}é").contains(true))
        // The app gets its own set, which it can change.
        characters.addCharacters(in: "&")
        #expect(contains("&") == [true])
        #expect(!OIDURLQueryComponent.urlParamValueAllowedCharacters().characterIsMember(UInt16(UInt8(ascii: "&"))))
    }
}
