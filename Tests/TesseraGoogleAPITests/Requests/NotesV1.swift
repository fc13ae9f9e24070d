// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting

/// An API client in the form of generated code.
struct NotesV1: APIClient {
    static let endpoint = APIEndpoint(
        name: "notes",
        version: "v1",
        rootURL: "https://notes.googleapis.com/",
        servicePath: "notes/v1/",
        batchPath: "batch/notes/v1",
        batchLimit: 3
    )
    let service: APIService

    init(_ service: APIService) { self.service = service }

    struct Page: APIObject {
        var storage = APIStorage()
        static let shape = APIShape("items: [Note]\nnextPageToken: string", ["Note": Note.self])

        var items: [Note]? { self.storage[value: "items"] }
    }

    struct List: ItemizedRequest {
        typealias Response = Page
        static var method: APIMethod {
            APIMethod("notes.notes.list", "GET", "notes", scopes: "https://notes/all https://notes/read")
        }
        static var paging: APIPaging { APIPaging() }
        static func items(in page: Page) -> [Note] { page.items ?? [] }
        var arguments = APIArguments()
    }

    /// A request that sends its page token in the body.
    struct Search: PagedRequest {
        typealias Response = Page
        static var method: APIMethod { APIMethod("notes.notes.search", "POST", "notes:search") }
        static var paging: APIPaging { APIPaging(isInBody: true) }
        var arguments = APIArguments()
    }

    struct Get: MediaDownloadRequest {
        typealias Response = Note
        static var method: APIMethod { APIMethod("notes.notes.get", "GET", "notes/{noteId}/{+place}") }
        var arguments = APIArguments()

        init(_ id: String, location: String = "a/b") {
            self.arguments.parameters[string: "noteId"] = id
            self.arguments.parameters[string: "place"] = location
        }
    }

    struct Create: ResumableUploadRequest {
        typealias Response = Note
        static var method: APIMethod { APIMethod("notes.notes.create", "POST", "notes", apiVersion: "2026-11-01") }
        static var uploadPath: String { "upload/notes/v1/notes" }
        var arguments = APIArguments()

        init(_ note: Note?) { self.arguments.body = note?.node }
    }

    struct Delete: APIRequest {
        typealias Response = NoContent
        static var method: APIMethod { APIMethod("notes.notes.delete", "DELETE", "notes/{noteId}") }
        var arguments = APIArguments()

        init(_ id: String) { self.arguments.parameters[string: "noteId"] = id }
    }

    func list() -> APICall<List> { APICall(List(), self.service) }
    func search() -> APICall<Search> { APICall(Search(), self.service) }
    func get(_ id: String, location: String = "a/b") -> APICall<Get> {
        APICall(Get(id, location: location), self.service)
    }
    func create(_ note: Note?) -> APICall<Create> { APICall(Create(note), self.service) }
    func delete(_ id: String) -> APICall<Delete> { APICall(Delete(id), self.service) }
}

extension NotesV1 {
    /// Creates a client with a scripted transport and a clock that advances instead of waiting.
    static func scripted(
        _ network: ScriptedTransport,
        settings: APISettings = APISettings()
    ) throws -> NotesV1 {
        var runtime = OAuthRuntime.testing(transport: network, clock: TestClock())
        runtime.clock = SelfAdvancingClock()
        let source = try FixedTokenSource(for: "https://notes.googleapis.com", "https://notes.example.com")
        return NotesV1(fetcher: AuthorizedFetcher(source, runtime: runtime, settings: .google), settings: settings)
    }
}
