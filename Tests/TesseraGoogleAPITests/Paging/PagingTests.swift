// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraGoogleAPI
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraTesting
internal import Testing

@Suite("Paging through lists")
struct PagingTests {
    /// Creates a transport that returns pages by their tokens, with an empty token for the first page.
    private static func network(_ pages: [String: String]) -> ScriptedTransport {
        ScriptedTransport { request in
            let query = request.head.path?.split(separator: "?").last?.split(separator: "&") ?? []
            let parameter = query.first { $0.hasPrefix("pageToken=") }?.dropFirst("pageToken=".count)
            let member = try? JSONValue(parsing: request.body)["pageToken"]?.string
            return .json(pages[parameter.map(String.init) ?? member ?? ""] ?? "{}")
        }
    }

    @Test("Iterates over items across pages, including empty ones, until there is no next page")
    func items() async throws {
        let network = Self.network([
            "": #"{"items":[{"title":"a"},{"title":"b"}],"nextPageToken":"1"}"#, "1": #"{"nextPageToken":"2"}"#,
            "2": #"{"items":[{"title":"c"}],"nextPageToken":""}"#,
        ])
        var titles: [String] = []
        for try await note in try NotesV1.scripted(network).list().items { titles.append(note.title ?? "") }
        #expect(titles == ["a", "b", "c"])
        #expect(network.requests.count == 3)
    }

    @Test("Requests a page only when it is needed")
    func lazy() async throws {
        let network = Self.network(["": #"{"items":[{"title":"a"}],"nextPageToken":"1"}"#])
        for try await _ in try NotesV1.scripted(network).list().items { break }
        #expect(network.requests.count == 1)
    }

    @Test(
        "Adds the next page token to a field selection that does not include it",
        arguments: [
            ("items(title)", "nextPageToken%2Citems%28title%29"), ("items,nextPageToken", "items%2CnextPageToken"),
            ("*", "%2A"), ("items(nextPageToken)", "nextPageToken%2Citems%28nextPageToken%29"),
        ]
    )
    func selected(selection: String, sent: String) async throws {
        let network = Self.network([:])
        for try await _ in try NotesV1.scripted(network).list().fields(FieldSelection(selection)).pages {}
        #expect(network.requests.first?.head.path?.contains("fields=\(sent)&") == true)
    }

    @Test("Sends the page token in the body if the API requires it, and preserves other members")
    func body() async throws {
        let network = Self.network(["": #"{"nextPageToken":"1"}"#])
        var call = try NotesV1.scripted(network).search()
        call.request.arguments.body = ["query": "x"]
        var count = 0
        for try await _ in call.pages { count += 1 }
        #expect(count == 2)
        #expect(
            network.requests.map { String(decoding: $0.body, as: UTF8.self) } == [
                #"{"query":"x"}"#, #"{"query":"x","pageToken":"1"}"#,
            ]
        )
    }

    @Test("Throws an error instead of looping if a page token repeats", arguments: ["1", "2"])
    func repeated(_ again: String) async throws {
        let network = Self.network([
            "": #"{"items":[{}],"nextPageToken":"1"}"#, "1": #"{"items":[{}],"nextPageToken":"2"}"#,
            "2": #"{"items":[{}],"nextPageToken":"\#(again)"}"#,
        ])
        var count = 0
        let error = await #expect(throws: ProtocolViolationError.self) {
            for try await _ in try NotesV1.scripted(network).list().items { count += 1 }
        }
        #expect(error?.rule == .apiRepeatedPage)
        #expect(network.requests.count == 3)
        #expect(count == 2)
    }
}
