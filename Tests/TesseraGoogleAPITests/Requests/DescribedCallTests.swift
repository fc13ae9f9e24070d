// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraTesting
internal import Testing

@Suite("Calls of methods without generated code")
struct DescribedCallTests {
    private let method = APIMethod("notes.notes.copy", "POST", "notes/{noteId}/copy", apiVersion: "2026-01-01")

    private var arguments: APIArguments {
        var arguments = APIArguments()
        arguments.parameters.set("noteId", .string("a b"))
        arguments.parameters.set("pageSize", .string("5"))
        arguments.body = ["title": .string("Copy")]
        return arguments
    }

    @Test("Builds a request from the method's path, parameters, body and version")
    func request() throws {
        let service = try NotesV1.scripted(ScriptedTransport { _ in .json("{}") }).service
        let message = try service.message(for: self.method, self.arguments, parameters: [("fields", "id")])
        #expect(message.request.method == .post)
        #expect(message.request.authority == "notes.googleapis.com")
        #expect(message.request.path == "/notes/v1/notes/a%20b/copy?pageSize=5&fields=id&prettyPrint=false")
        let version = try #require(HTTPField.Name("X-Goog-Api-Version"))
        #expect(message.request.headerFields[version] == "2026-01-01")
        #expect(message.request.headerFields[.authorization] == nil)
        #expect(message.body.map { String(decoding: $0, as: UTF8.self) } == #"{"title":"Copy"}"#)
    }

    @Test("Uses the upload path instead of the method's path")
    func upload() throws {
        let service = try NotesV1.scripted(ScriptedTransport { _ in .json("{}") }).service
        let message = try service.message(
            for: self.method,
            self.arguments,
            uploadPath: "upload/notes/v1/notes/{noteId}",
            parameters: [("uploadType", "resumable")]
        )
        #expect(
            message.request.path
                == "/upload/notes/v1/notes/a%20b?pageSize=5&uploadType=resumable&prettyPrint=false"
        )
    }

    @Test("Returns the JSON of a response, or nil if it is empty", arguments: [(#"{"id":"1"}"#, "1"), ("", nil)])
    func response(_ body: String, _ id: String?) async throws {
        let service = try NotesV1.scripted(ScriptedTransport { _ in .json(body) }).service
        let message = try service.message(for: self.method, self.arguments)
        let value = try await service.json(for: message)
        #expect((value == nil) == (id == nil))
        #expect(value?["id"]?.stringValue == id)
    }

    @Test("Throws an error response of the API")
    func failure() async throws {
        let refusal = ScriptedTransport { _ in .json(#"{"error":{"code":404}}"#, status: .notFound) }
        let service = try NotesV1.scripted(refusal).service
        let message = try service.message(for: self.method, self.arguments)
        await #expect(throws: GoogleAPIError.self) { try await service.json(for: message) }
    }
}
