// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator
internal import TestTraits
internal import Testing

@Suite("Hostile documents")
struct HostileFieldTests {
    typealias Field = HostileDocument.Field

    /// Returns the general hostile texts, and the usual text of a field followed by each invalid character.
    private static func texts(for field: Field) -> [String] {
        HostileTexts.all + HostileTexts.foreign.map { field.usual + $0 }
    }

    @Test("Detects code outside of literals and comments in the generated files")
    func skeletons() throws {
        #expect(SwiftSkeleton("let a = \"b\\\"c\" // d\rpwned()").code == "let a = \"\" \rpwned()")
        #expect(SwiftSkeleton("\"\\(pwned())\"").faults == ["an interpolation"])
        #expect(SwiftSkeleton("\"a\npwned()").faults == ["a literal with a line break"])
        #expect(SwiftSkeleton("\"\"\"\n\"a\" \\\"\"\" b\n\"\"\"c").code == "\"\"c")
        #expect(SwiftSkeleton("// \u{202E}").faults == ["U+202e in a comment"])
        let usual = try HostileCode()
        #expect(usual.files.count > 10)
        for (path, text) in usual.files { #expect(SwiftSkeleton(text).faults.isEmpty, "\(path)") }
    }

    @Test(
        "Rejects a hostile text in a field with a grammar or confines it to a literal",
        .covers(128),
        .shows(claims: 21),
        arguments: HostileDocument.fields.filter { $0.kind == .strict || $0.kind == .loose }
    )
    func rejects(_ field: Field) throws {
        let usual = try HostileCode()
        var rejected = 0
        for text in Self.texts(for: field) {
            let code: HostileCode
            do {
                code = try HostileCode([field.token: text])
            } catch let error as GeneratorError {
                rejected += 1
                #expect(error.code == .invalid, "\(error)")
                #expect(error.path?.hasPrefix(field.path) == true, "\(error)")
                #expect(error.description.unicodeScalars.allSatisfy { " "..."~" ~= $0 || $0 == "…" })
                continue
            }
            // Empty texts and texts of dots and spaces are harmless where the grammar allows them.
            let isHarmless = text.utf8.allSatisfy { ". ".utf8.contains($0) }
            #expect(field.kind == .loose || isHarmless, "\(text.debugDescription) is accepted")
            for (path, fault) in code.faults(comparedTo: usual, hasSameNames: false) {
                Issue.record("\(path), \(text.debugDescription): \(fault)")
            }
        }
        #expect(rejected > 50)
    }

    @Test("Confines a hostile text in a field without a grammar to comments and literals", .covers(128))
    func contains() throws {
        let usual = try HostileCode()
        let fields = HostileDocument.fields.filter { $0.kind == .free || $0.kind == .unread }
        let count = Self.texts(for: fields[0]).count
        // Each document shifts the texts of the fields, so that every field contains every text once.
        for location in 0..<count {
            var texts: [String: String] = [:]
            for (shift, field) in fields.enumerated() {
                texts[field.token] = Self.texts(for: field)[(location + shift) % count]
            }
            let code = try HostileCode(texts)
            for (path, fault) in code.faults(comparedTo: usual, hasSameNames: true) {
                Issue.record("document \(location), \(path): \(fault)")
            }
        }
    }

    @Test("Confines random texts in many fields to comments and literals", .covers(128))
    func random() throws {
        let seed = TestSeed.printed()
        var random = SeededGenerator(seed: seed)
        let usual = try HostileCode()
        let pieces = HostileTexts.all + HostileTexts.foreign + ["x", " ", "pwned()", "*", "/", "//", "[", "]", "!"]
        for round in 0..<100 {
            var texts: [String: String] = [:]
            for field in HostileDocument.fields where field.kind == .free && Bool.random(using: &random) {
                let count = Int.random(in: 1...6, using: &random)
                texts[field.token] = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            }
            // The length limit of a default value is lower than that of other texts.
            texts["default"] = texts["default"].map { String($0.prefix(500)) }
            let code = try HostileCode(texts)
            for (path, fault) in code.faults(comparedTo: usual, hasSameNames: true) {
                Issue.record("seed \(seed), round \(round), \(path): \(fault)")
            }
        }
    }

    @Test(
        "Rejects a value of the wrong kind and names the field",
        arguments: [
            (#""title": 5"#, "title"), (#""schemas": []"#, "schemas"), (#""features": "x""#, "features"),
            (#""features": [true]"#, "features[0]"), (#""schemas": {"A": 1}"#, "schemas.A"), (#""auth": null"#, "auth"),
            (#""schemas": {"A": {"readOnly": "yes"}}"#, "schemas.A.readOnly"),
            (#""schemas": {"A": {"enum": ["a"], "enumDeprecated": [0]}}"#, "schemas.A.enumDeprecated[0]"),
            (#""resources": {"a": {"methods": {"b": 1}}}"#, "resources.a.methods.b"),
            (#""schemas": {"A": {"items": "B"}}"#, "schemas.A.items"), (#""servicePath": {}"#, "servicePath"),
        ]
    )
    func kinds(_ member: String, _ path: String) throws {
        let json =
            #"{"kind": "discovery#restDescription", "name": "a", "version": "v1", "rootUrl": "https://a.example/", \#(member)}"#
        let error = try #require(throws: GeneratorError.self) { try DiscoveryDocument(parsing: Array(json.utf8)) }
        #expect(error.code == .invalid)
        #expect(error.path == path)
    }

    @Test(
        "Rejects unpaired surrogates and duplicate members in a document",
        .covers(128),
        arguments: [#"\ud800"#, #"\udc00\ud800"#, #"", "title": ""#]
    )
    func json(_ text: String) throws {
        let json = #"{"kind": "discovery#restDescription", "name": "a", "version": "v1", "title": "\#(text)"}"#
        let error = try #require(throws: GeneratorError.self) { try DiscoveryDocument(parsing: Array(json.utf8)) }
        #expect(error.code == .document)
    }

    @Test(
        "Rejects a namespace that is not an identifier",
        .covers(128),
        arguments: ["", "../x", "a b", "A\npwned()", "9"]
    )
    func namespace(_ namespace: String) throws {
        let document = try DiscoveryDocument(parsing: HostileDocument.bytes())
        let error = try #require(throws: GeneratorError.self) {
            try APIGenerator(document, options: GeneratorOptions(namespace: namespace))
        }
        #expect(error.code == .invalid)
        #expect(error.path == "namespace")
    }

    @Test("Rejects URLs, paths and words that servers could interpret differently", .covers(128))
    func places() throws {
        let rejected = [
            "rootUrl": [
                "http://notes.example/", "https:///x/", "https://user@notes.example/", "https://notes.example:x/",
                "ftp://a/",
                "https://notes.example/../x/", "https://notes.example/?q", "https://notes.example/#f", "https://-a/",
                "//a/",
                "http://localhost.evil.example/", "http://127.0.0.1@evil.example/", "HTTPS://a.example/", "",
            ],
            "servicePath": ["/notes/", "../", "a/../b/", "a//b/", "./", "a?b/", "https://evil.example/"],
            "path": ["", "a/../b", "a?b=c", "a#b", "{", "}", "{a", "{}", "{+}", "{a{b}}", "a b", "%2e%2e/x"],
            "httpMethod": ["get", "TRACE", "CONNECT", "HEAD", " GET", ""], "location": ["header", "cookie", ""],
            "type": ["null", "String", ""], "version": ["", "v1..2", ".v1", "v1.", "v1/2"],
            "documentationLink": [
                "https://a@b.example/", "https://a.example:/", "https://", "a.example", "https://a.example?q",
            ],
            "name": ["", "9a", "a-b", "a.b", String(repeating: "a", count: 65)],
            "minimum": ["1e9", "--1", "1.", "0x1"],
        ]
        for (token, texts) in rejected {
            for text in texts {
                #expect(throws: GeneratorError.self, "\(token): \(text)") { try HostileCode([token: text]) }
            }
        }
        for root in [
            "http://127.0.0.1:8080/", "http://localhost:8080/", "https://a.example:8443/api/v1/", "https://a.example",
        ] {
            #expect(throws: Never.self, "\(root)") { try HostileCode(["rootUrl": root]) }
        }
    }

    @Test(
        "Generates different valid file names for names that differ in case or are very long",
        .covers(128)
    )
    func fileNames() throws {
        let long = String(repeating: "Long", count: 50)
        let names = ["Note", "NOTE", "note", "nOTE", "No-te", "No.te", "No_te", long, String(long.dropLast()) + "-"]
        let schemas = names.map { "\"\($0)\": {\"type\": \"object\", \"properties\": {}}" }.joined(separator: ",")
        var resources = #""methods": {"m": {"id": "a.b", "httpMethod": "GET", "path": "x"}}"#
        for _ in 0..<20 { resources = "\"resources\": {\"\(long.prefix(128))\": {\(resources)}}" }
        let document = Array(
            """
            {"kind": "discovery#restDescription", "name": "a", "version": "v1", "rootUrl": "https://a.example/",
            "schemas": {\(schemas)}, \(resources)}
            """
            .utf8
        )
        let paths = try APIGenerator(DiscoveryDocument(parsing: document)).files().map(\.path)
        #expect(Set(paths.map { $0.lowercased() }).count == paths.count)
        #expect(paths.count == 1 + names.count + 21)
        for path in paths { #expect(HostileCode.isInside(path), "\(path)") }
    }
}
