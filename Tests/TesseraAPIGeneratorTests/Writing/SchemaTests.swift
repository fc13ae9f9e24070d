// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator
internal import Testing

@Suite("Generated objects")
struct SchemaTests {
    private func schema(_ json: String, named name: String = "Note") throws -> String {
        let files = try Documents.generated(Documents.document(schemas: "\"\(name)\": \(json)"))
        return try #require(files.values.first { $0.contains("public var storage") || $0.contains("public typealias") })
    }

    @Test(
        "Maps each type and format to a Swift type",
        arguments: [
            (#"{"type": "string"}"#, "String", "string"), (#"{"type": "boolean"}"#, "Bool", "bool"),
            (#"{"type": "integer", "format": "int32"}"#, "Int", "int"),
            (#"{"type": "integer", "format": "uint32"}"#, "UInt32", "value"),
            (#"{"type": "string", "format": "int64"}"#, "Int64", "int64"),
            (#"{"type": "string", "format": "uint64"}"#, "UInt64", "value"),
            (#"{"type": "number", "format": "float"}"#, "Double", "double"),
            (#"{"type": "string", "format": "byte"}"#, "Data", "value"),
            (#"{"type": "string", "format": "google-datetime"}"#, "Timestamp", "timestamp"),
            (#"{"type": "string", "format": "date"}"#, "CivilDate", "value"),
            (#"{"type": "string", "format": "google-duration"}"#, "ProtoDuration", "value"),
            (#"{"type": "string", "format": "google-fieldmask"}"#, "FieldMask", "value"),
            (#"{"type": "any"}"#, "JSONNode", "json"), (#"{"$ref": "Note"}"#, "NotesV1.Note", "value"),
            (#"{"type": "array", "items": {"type": "array", "items": {"$ref": "Note"}}}"#, "[[NotesV1.Note]]", "value"),
            (#"{"type": "object", "additionalProperties": {"type": "string"}}"#, "[String: String]", "value"),
            (#"{"type": "object"}"#, "[String: JSONNode]", "value"),
        ]
    )
    func types(_ json: String, _ type: String, _ label: String) throws {
        let code = try self.schema(#"{"type": "object", "properties": {"it": \#(json)}}"#)
        #expect(code.contains("public var it: \(type)? {"))
        #expect(code.contains("get { self.storage[\(label): \"it\"] }"))
    }

    @Test("Declares an inline schema as a nested type without name conflicts")
    func nested() throws {
        let code = try self.schema(
            #"{"type": "object", "properties": {"note": {"type": "object", "properties": {"a": {"type": "string"}}},"#
                + #""kind": {"type": "string", "enum": ["A_B", "none", "1080p"], "enumDescriptions": ["", "No.", ""]}}}"#
        )
        #expect(code.contains("public var note: Note_note? {"))
        #expect(code.contains("public struct Note_note: APIObject {"))
        #expect(code.contains("public struct Kind: APIEnumeration {"))
        for line in [
            #"static var aB: Self { Self(rawValue: "A_B") }"#,
            #"static var noneValue: Self { Self(rawValue: "none") }"#,
            #"static var _1080p: Self { Self(rawValue: "1080p") }"#,
        ] {
            #expect(code.contains(line))
        }
    }

    @Test("Escapes or extends names that Swift or the runtime reserves")
    func names() throws {
        let code = try self.schema(
            #"{"type": "object", "properties": {"default": {"type": "string"}, "storage": {"type": "string"},"#
                + #""some-odd.name": {"type": "string"}, "@type": {"type": "string"}, "ETag": {"type": "string"}}}"#,
            named: "String"
        )
        for line in [
            "struct StringValue: APIObject", "var `default`: String?", "var storageValue: String?",
            #"self.storage[string: "storage"]"#, "var someOddName: String?", #"self.storage[string: "some-odd.name"]"#,
            "var type: String?", "var eTag: String?",
        ] {
            #expect(code.contains(line), "\(line)")
        }
    }

    @Test("Preserves the spelling of enumeration values whose names would collide")
    func collisions() throws {
        let code = try self.schema(
            #"{"type": "object", "properties": {"state": {"type": "string", "enum": ["ON_HOLD", "onHold"]}}}"#
        )
        #expect(code.contains("static var onHold: Self"))
        #expect(code.contains("static var onHold_onHold: Self"))
    }

    @Test("Ends at schemas that contain themselves without an object in between")
    func recursiveAliases() throws {
        let files = try Documents.generated(
            Documents.document(
                schemas: #""Tree": {"type": "object", "additionalProperties": {"$ref": "Tree"}},"#
                    + #""A": {"type": "array", "items": {"$ref": "B"}}, "B": {"type": "array", "items": {"$ref": "A"}},"#
                    + #""Note": {"type": "object", "properties": {"tree": {"$ref": "Tree"}, "a": {"$ref": "A"}}}"#
            )
        )
        for name in ["Tree", "A", "B"] {
            #expect(files["Schemas/\(name).swift"]?.contains("public typealias \(name) = JSONNode") == true)
        }
        let note = try #require(files["Schemas/Note.swift"])
        #expect(note.contains("tree: any\n"))
        #expect(note.contains("public var a: NotesV1.A? {"))
    }

    @Test(
        "Imports only the modules that a schema needs",
        arguments: [
            (#"{"type": "string", "format": "byte"}"#, true, false), (#"{"type": "string"}"#, false, false),
            (#"{"type": "string", "format": "date"}"#, false, true),
            (#"{"type": "object", "properties": {"a": {"type": "string", "format": "byte"}}}"#, true, true),
        ]
    )
    func imports(_ json: String, _ foundation: Bool, _ runtime: Bool) throws {
        let code = try self.schema(json)
        #expect(code.contains("public import Foundation\n") == foundation)
        #expect(code.contains("public import TesseraGoogleAPI\n") == runtime)
    }

    @Test("Names the objects of a shape unambiguously")
    func shapes() throws {
        let files = try Documents.generated(
            Documents.document(
                schemas: #""Rows": {"type": "array", "items": {"type": "object", "#
                    + #""properties": {"a": {"type": "string"}}}},"#
                    + #""Author": {"type": "object", "properties": {"id": {"type": "integer"}}},"#
                    + #""Note": {"type": "object", "properties": {"rows": {"$ref": "Rows"}, "reviewer": {"$ref": "Author"},"#
                    + #""author": {"type": "object", "properties": {"id": {"type": "string"}}}}}"#
            )
        )
        let note = try #require(files["Schemas/Note.swift"])
        for line in [
            "rows: [RowsElement]", "\"RowsElement\": NotesV1.RowsElement.self,", "reviewer: Author",
            "\"Author\": NotesV1.Author.self,", "author: AuthorNested", "\"AuthorNested\": Author.self,",
        ] {
            #expect(note.contains("\(line)\n"), "\(line)")
        }
    }

    @Test(
        "Makes an object Identifiable if its ID is a string or a number",
        arguments: [
            (#""id": {"type": "string"}"#, true), (#""id": {"type": "string", "format": "int64"}"#, true),
            (#""id": {"$ref": "Note"}"#, false), (#""id": {"type": "array", "items": {"type": "string"}}"#, false),
            (#""name": {"type": "string"}"#, false),
            (#""id": {"type": "string"}, "ID": {"type": "string", "enum": ["A"]}"#, false),
        ]
    )
    func identity(_ properties: String, _ isIdentifiable: Bool) throws {
        let code = try self.schema(#"{"type": "object", "properties": {\#(properties)}}"#)
        #expect(code.contains("struct Note: APIObject, Identifiable {") == isIdentifiable)
    }

    @Test(
        "Marks deprecated members with the message from their description",
        arguments: [
            ("Old. Deprecated: Use `title` instead. More.", "Use `title` instead."),
            ("Deprecated: Output only. Use `title` instead.", "Use `title` instead."),
            ("**DEPRECATED** (Please use title) The old title.", "Please use title."),
            ("Deprecated.", "Deprecated in the API."), ("The old title.", "Deprecated in the API."),
            ("", "Deprecated in the API."), ("Deprecated: \\\" \\u000a }", #"\" }."#),
        ]
    )
    func deprecation(_ description: String, _ message: String) throws {
        let code = try self.schema(
            #"{"type": "object", "properties": {"old": {"type": "string", "deprecated": true,"#
                + #""description": "\#(description)"}, "kind": {"type": "string", "enum": ["A", "B"], "enumDeprecated": [false, true],"#
                + #""enumDescriptions": ["", "\#(description)"]}}}"#
        )
        let attribute = #"@available(*, deprecated, message: "\#(message)")"#
        for declaration in ["public var old: String? {", "public static var b: Self {"] {
            let before = try #require(code.firstRange(of: declaration)?.lowerBound)
            #expect(code[..<before].split(separator: "\n").suffix(3).contains { $0.hasSuffix(attribute) })
        }
        #expect(code.split(separator: attribute).count == 3)
    }

    @Test("Writes the requested amount of documentation", arguments: GeneratorOptions.Documentation.allCases)
    func documentation(_ level: GeneratorOptions.Documentation) throws {
        let document = Documents.document(
            schemas:
                #""Note": {"type": "object", "description": "Output only. A note (e.g. one). With more.", "properties": {}}"#
        )
        let code = try #require(
            try Documents.generated(document, GeneratorOptions(documentation: level))["Schemas/Note.swift"]
        )
        #expect(code.contains("/// A note (e.g. one).") == (level != .none))
        #expect(code.contains("With more.") == (level == .full))
    }
}
