// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraAPIGenerator
internal import Testing

@Suite("API generator")
struct GeneratorTests {
    private static let methods = """
        "get": {"id": "notes.notes.get", "httpMethod": "GET", "path": "n/{id}", "response": {"$ref": "Note"}},
        "put": {"id": "notes.notes.put", "httpMethod": "PUT", "path": "n", "request": {"$ref": "Draft"}}
        """
    private static let schemas = """
        "Note": {"type": "object", "properties": {"author": {"$ref": "Person"}}},
        "Person": {"type": "object", "properties": {"notes": {"type": "array", "items": {"$ref": "Note"}}}},
        "Draft": {"type": "object", "properties": {}}
        """

    @Test(
        "Generates only the included methods and the schemas that they need",
        arguments: ["notes.get", "notes.notes.get", "notes.g*"]
    )
    func pruning(pattern: String) throws {
        let document = Documents.document(schemas: Self.schemas, methods: Self.methods)
        let files = try Documents.generated(document, GeneratorOptions(included: [pattern]))
        #expect(files["Schemas/Person.swift"] != nil)
        #expect(files["Resources/NotesResource.Get.swift"] != nil)
        #expect(files["Schemas/Draft.swift"] == nil)
        #expect(files["Resources/NotesResource.Put.swift"] == nil)
    }

    @Test("Throws an error if an included method does not exist")
    func missing() throws {
        let document = Documents.document(schemas: Self.schemas, methods: Self.methods)
        let error = try #require(throws: GeneratorError.self) {
            try Documents.generated(document, GeneratorOptions(included: ["notes.delete"]))
        }
        #expect(error.code == .missing)
        #expect("\(error)".contains("notes.delete"))
    }

    @Test(
        "Rejects input that is not a discovery document",
        arguments: ["", "[]", "{}", #"{"kind":"discovery#restDescription"}"#]
    )
    func refuses(_ text: String) throws {
        let error = try #require(throws: GeneratorError.self) { try DiscoveryDocument(parsing: Array(text.utf8)) }
        #expect(error.code == .document)
        #expect((error as any LocalizedError).errorDescription == error.description)
        #expect((error as any LocalizedError).recoverySuggestion?.isEmpty == false)
    }

    @Test("Reports unknown keys with their paths")
    func unknownKeys() throws {
        let document = try DiscoveryDocument(
            parsing: Documents.document(schemas: #""Note": {"type": "object", "shape": "round"}"#, more: #""mood": 1,"#)
        )
        #expect(document.unknownKeys.sorted() == ["mood", "schemas.Note.shape"])
    }

    @Test("Generates the same code for the same document, named after the API and its version")
    func deterministic() throws {
        let document = Documents.document(schemas: Self.schemas, methods: Self.methods)
        let (first, second) = (try Documents.generated(document), try Documents.generated(document))
        #expect(first == second)
        #expect(first["NotesV1.swift"]?.contains("public struct NotesV1: APIClient {") == true)
        let other = try Documents.generated(document, GeneratorOptions(namespace: "Jottings"))
        #expect(other["Jottings.swift"] != nil)
    }
}
