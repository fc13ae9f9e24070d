// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator

/// Creates small discovery documents.
enum Documents {
    /// Returns a document with these schemas and these methods of the resource `notes`, both as JSON.
    static func document(
        schemas: String = #""Note": {"id": "Note", "type": "object", "properties": {"title": {"type": "string"}}}"#,
        methods: String = "",
        more: String = ""
    ) -> [UInt8] {
        Array(
            """
            {"kind": "discovery#restDescription", "name": "notes", "version": "v1", "title": "Notes API",
            "revision": "20261123", "description": "Keeps notes. For ever.", "rootUrl": "https://notes.googleapis.com/",
            "servicePath": "", "batchPath": "batch", \(more)
            "auth": {"oauth2": {"scopes": {"https://www.googleapis.com/auth/notes.readonly": {"description": "See notes"}}}},
            "schemas": {\(schemas)}, "resources": {"notes": {"methods": {\(methods)}}}}
            """
            .utf8
        )
    }

    /// Returns the generated files by their paths.
    static func generated(
        _ document: [UInt8],
        _ options: GeneratorOptions = GeneratorOptions()
    ) throws -> [String: String] {
        let generator = try APIGenerator(DiscoveryDocument(parsing: document), options: options)
        return Dictionary(uniqueKeysWithValues: generator.files().map { ($0.path, $0.text) })
    }
}
