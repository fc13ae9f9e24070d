// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator
internal import Testing

@Suite("Generated requests and functions")
struct MethodTests {
    private static let page = """
        "Note": {"type": "object", "properties": {"title": {"type": "string"}}},
        "Page": {"type": "object", "properties": {"nextPageToken": {"type": "string"}, "unreachable": {"type": "array",
        "items": {"type": "string"}}, "notes": {"type": "array", "items": {"$ref": "Note"}}}}
        """

    private func list(_ parameters: String, _ more: String = "") throws -> String {
        let method = """
            "list": {"id": "notes.notes.list", "httpMethod": "GET", "path": "v1/{+parent}/notes",
            "parameters": {\(parameters)}, "parameterOrder": ["parent"], "response": {"$ref": "Page"} \(more)}
            """
        let files = try Documents.generated(Documents.document(schemas: Self.page, methods: method))
        return try #require(files["Resources/NotesResource.List.swift"])
    }

    private let parent = #""parent": {"type": "string", "location": "path", "required": true}"#

    @Test("Declares required parameters first, and optional parameters with nil as the default")
    func parameters() throws {
        let code = try self.list(
            self.parent + #", "a.b": {"type": "string", "location": "query", "repeated": true}"#
        )
        #expect(code.contains("public func list(parent: String, aB: [String]? = nil) -> APICall<List> {"))
        #expect(code.contains("var request = List(parent: parent)"))
        #expect(code.contains(#"parameters[value: "a.b"]"#))
    }

    @Test("Marks deprecated methods and parameters and does not use them itself")
    func deprecation() throws {
        let attribute = #"@available(*, deprecated, message: "Deprecated in the API.")"#
        let method = try self.list(self.parent, #", "deprecated": true"#)
        #expect(method.split(separator: attribute).count == 3)
        let code = try self.list(self.parent + #", "old": {"type": "string", "location": "query", "deprecated": true}"#)
        #expect(code.split(separator: attribute).count == 2)
        #expect(code.contains(#"request.arguments.parameters[string: "old"] = old"#))
        #expect(!code.contains("request.old"))
    }

    @Test("Declares pages for a page token, and items if the listed property is unambiguous")
    func paging() throws {
        let token = #", "pageToken": {"type": "string", "location": "query"}"#
        #expect(try self.list(self.parent).contains("struct List: APIRequest {"))
        let code = try self.list(self.parent + token)
        #expect(code.contains("struct List: ItemizedRequest {"))
        #expect(code.contains("{ APIPaging() }"))
        #expect(code.contains("func items(in page: Response) -> [NotesV1.Note] { page.notes ?? [] }"))
    }

    @Test("Declares resumable uploads and downloads only if the method supports them")
    func media() throws {
        let upload = #", "mediaUpload": {"protocols": {"simple": {"path": "/upload/v1/{+parent}/notes"}\#("")"#
        #expect(try self.list(self.parent, upload + "}}").contains("List: APIRequest, MediaUploadRequest {"))
        let resumable = upload + #", "resumable": {"path": "/resumable/upload/x"}}}, "supportsMediaDownload": true"#
        let code = try self.list(self.parent, resumable)
        #expect(code.contains("List: APIRequest, ResumableUploadRequest, MediaDownloadRequest {"))
        #expect(code.contains(#"uploadPath: String { "upload/v1/{+parent}/notes" }"#))
    }

    @Test("Declares short names for scopes and lists the scopes of each method")
    func scopes() throws {
        let scopes = #", "scopes": ["https://www.googleapis.com/auth/notes.readonly"]"#
        #expect(try self.list(self.parent, scopes).contains("https://www.googleapis.com/auth/notes.readonly\n"))
        let files = try Documents.generated(Documents.document())
        #expect(files["NotesV1.Scope.swift"]?.contains("static var notesReadonly: TesseraOAuth.Scope") == true)
    }

    @Test("Uses NoContent for a method without a response and JSON for an inline response")
    func responses() throws {
        let method = #""ping": {"id": "notes.notes.ping", "httpMethod": "POST", "path": "v1/ping"\#("")"#
        func code(_ more: String) throws -> String {
            let document = Documents.document(methods: method + more + "}")
            return try #require(try Documents.generated(document)["Resources/NotesResource.Ping.swift"])
        }
        #expect(try code("").contains("public typealias Response = NoContent"))
        let inline = #", "response": {"type": "object", "additionalProperties": {"type": "any"}}"#
        #expect(try code(inline).contains("public typealias Response = [String: JSONNode]"))
    }
}
