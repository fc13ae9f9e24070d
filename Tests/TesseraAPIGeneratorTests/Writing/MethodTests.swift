// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator
internal import Testing

@Suite("Methods become requests and functions")
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

    @Test("What has to be given comes first and has no default, what need not be given is nil")
    func parameters() throws {
        let code = try self.list(
            self.parent + #", "a.b": {"type": "string", "location": "query", "repeated": true}"#
        )
        #expect(code.contains("public func list(parent: String, aB: [String]? = nil) -> APICall<List> {"))
        #expect(code.contains("var request = List(parent: parent)"))
        #expect(code.contains(#"parameters[value: "a.b"]"#))
    }

    @Test("A deprecated method, its request and a deprecated parameter carry the attribute, and are not used")
    func deprecation() throws {
        let attribute = #"@available(*, deprecated, message: "The API deprecates it.")"#
        let method = try self.list(self.parent, #", "deprecated": true"#)
        #expect(method.split(separator: attribute).count == 3)
        let code = try self.list(self.parent + #", "old": {"type": "string", "location": "query", "deprecated": true}"#)
        #expect(code.split(separator: attribute).count == 2)
        #expect(code.contains(#"request.arguments.parameters[string: "old"] = old"#))
        #expect(!code.contains("request.old"))
    }

    @Test("A list with a page token has pages, and items where it is clear what is listed")
    func paging() throws {
        let token = #", "pageToken": {"type": "string", "location": "query"}"#
        #expect(try self.list(self.parent).contains("struct List: APIRequest {"))
        let code = try self.list(self.parent + token)
        #expect(code.contains("struct List: ItemizedRequest {"))
        #expect(code.contains("{ APIPaging() }"))
        #expect(code.contains("func items(in page: Response) -> [NotesV1.Note] { page.notes ?? [] }"))
    }

    @Test("Uploads that cannot be resumed do not offer it; downloads are downloads")
    func media() throws {
        let upload = #", "mediaUpload": {"protocols": {"simple": {"path": "/upload/v1/{+parent}/notes"}\#("")"#
        #expect(try self.list(self.parent, upload + "}}").contains("List: APIRequest, MediaUploadRequest {"))
        let resumable = upload + #", "resumable": {"path": "/resumable/upload/x"}}}, "supportsMediaDownload": true"#
        let code = try self.list(self.parent, resumable)
        #expect(code.contains("List: APIRequest, ResumableUploadRequest, MediaDownloadRequest {"))
        #expect(code.contains(#"uploadPath: String { "upload/v1/{+parent}/notes" }"#))
    }

    @Test("Scopes have short names, and a method says which would do")
    func scopes() throws {
        let scopes = #", "scopes": ["https://www.googleapis.com/auth/notes.readonly"]"#
        #expect(try self.list(self.parent, scopes).contains("https://www.googleapis.com/auth/notes.readonly\n"))
        let files = try Documents.generated(Documents.document())
        #expect(files["NotesV1.Scope.swift"]?.contains("static var notesReadonly: TesseraOAuth.Scope") == true)
    }

    @Test("A method without an answer has none, one with an inline answer any JSON")
    func answers() throws {
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
