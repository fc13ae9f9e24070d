// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("Local Calendar over HTTP")
struct CalendarTests {
    private static let events = "/calendar/v3/calendars/primary/events"

    private static func event(_ summary: String, _ start: String, _ end: String, more: String = "") -> String {
        let key = start.utf8.count == 10 ? "date" : "dateTime"
        return #"{"summary": "\#(summary)", "start": {"\#(key)": "\#(start)"}, "end": {"\#(key)": "\#(end)"}\#(more)}"#
    }

    private static func summaries(_ api: LiveAPI, _ parameters: (String, String)...) async throws -> [String] {
        let list = try await api.json(.get, Self.events + "?" + LiveClient.form(parameters))
        return list["items"]?.elements?.compactMap { $0["summary"]?.string } ?? []
    }

    @Test("Adds, lists, gets and deletes events")
    func lifecycle() async throws {
        try await LiveAPI.with(scope: "calendar.events") { ada in
            let guests = #", "attendees": [{"email": "noor@tessera.example"}], "location": "Garden""#
            let body = Self.event("Lunch", "2026-05-02T12:00:00+02:00", "2026-05-02T13:00:00+02:00", more: guests)
            let lunch = try await ada.json(.post, Self.events, body)
            #expect(lunch["start"]?["dateTime"]?.string == "2026-05-02T12:00:00+02:00")
            #expect(lunch["status"]?.string == "confirmed")
            #expect(lunch["attendees"]?[0]?["email"]?.string == "noor@tessera.example")
            _ = try await ada.json(.post, Self.events, Self.event("Holiday", "2026-05-01", "2026-05-02"))
            let ordered = [("singleEvents", "true"), ("orderBy", "startTime")]
            #expect(try await Self.summaries(ada, ordered[0], ordered[1]) == ["Holiday", "Lunch"])
            #expect(try await Self.summaries(ada, ("q", "GARDEN noor")) == ["Lunch"])
            // The bounds are exclusive.
            #expect(try await Self.summaries(ada, ("timeMin", "2026-05-02T00:00:00Z")) == ["Lunch"])
            #expect(try await Self.summaries(ada, ("timeMax", "2026-05-02T10:00:00Z")) == ["Holiday"])
            let id = try #require(lunch["id"]?.string)
            let path = "/calendar/v3/calendars/ada%40example.com/events/\(id)"
            #expect(try await ada.json(.get, path)["summary"]?.string == "Lunch")
            #expect(try await ada.send(.delete, path).status == .noContent)
            #expect(try await ada.failure(.get, path) == "404 notFound")
            #expect(try await Self.summaries(ada) == ["Holiday"])
        }
    }

    @Test("Returns pages, and rejects the token of another list")
    func pages() async throws {
        try await LiveAPI.with(scope: "calendar") { ada in
            for day in 1...3 {
                let body = Self.event("Day \(day)", "2026-05-0\(day)", "2026-05-0\(day + 1)")
                _ = try await ada.json(.post, Self.events, body)
            }
            let first = try await ada.json(.get, Self.events + "?maxResults=2")
            #expect(first["items"]?.elements?.count == 2)
            let token = try #require(first["nextPageToken"]?.string)
            let rest = try await ada.json(.get, Self.events + "?maxResults=2&pageToken=\(token)")
            #expect(rest["items"]?.elements?.count == 1)
            #expect(rest["nextPageToken"] == nil)
            #expect(try await ada.failure(.get, Self.events + "?q=Day&pageToken=\(token)") == "400 invalid")
            let calendars = try await ada.json(.get, "/calendar/v3/users/me/calendarList")
            #expect(calendars["items"]?[0]?["primary"]?.bool == true)
        }
    }

    @Test("Interprets times without an offset in the time zone, and requires one of them")
    func timeZones() async throws {
        try await LiveAPI.with(scope: "calendar") { ada in
            func time(_ hour: Int) -> String {
                #"{"dateTime": "2026-05-01T\#(hour):00:00", "timeZone": "America/New_York"}"#
            }
            let body = #"{"summary": "Call", "start": \#(time(10)), "end": \#(time(11))}"#
            let call = try await ada.json(.post, Self.events, body)
            #expect(call["start"]?["dateTime"]?.string == "2026-05-01T10:00:00-04:00")
            #expect(try await Self.summaries(ada, ("timeMin", "2026-05-01T14:30:00Z")) == ["Call"])
            #expect(try await Self.summaries(ada, ("timeMin", "2026-05-01T15:00:00Z")) == [])
            #expect(try await ada.failure(.get, Self.events + "?timeMin=2026-05-01T00:00:00") == "400 invalid")
            let unknown = Self.event("x", "2026-05-01T12:00:00", "2026-05-01T13:00:00")
            #expect(try await ada.failure(.post, Self.events, unknown) == "400 required")
        }
    }

    @Test("Keeps each account's calendar separate")
    func accounts() async throws {
        try await LiveAPI.with(scope: "calendar") { ada in
            let noor = try await LiveAPI(ada.client, scope: "calendar", as: "noor@tessera.example")
            _ = try await ada.json(.post, Self.events, Self.event("Mine", "2026-05-01", "2026-05-02"))
            #expect(try await Self.summaries(noor) == [])
            let other = "/calendar/v3/calendars/ada%40example.com/events"
            #expect(try await noor.failure(.get, other) == "404 notFound")
        }
    }

    @Test(
        "Rejects events that are not valid",
        arguments: [
            "[]", "{}", event("x", "2026-05-01", "2026-04-30"), event("x", "2026-05-01T12:00", "2026-05-01T13:00"),
            event("x", "tomorrow", "tomorrow"), event("x", "2026-05-01", "2026-05-02", more: #", "id": "X""#),
            event("x", "2026-05-01", "2026-05-02", more: #", "attendees": [{"email": "mia"}]"#),
            event("x", "2026-05-01", "2026-05-02", more: #", "recurrence": ["RRULE:FREQ=DAILY"]"#),
            #"{"start": {"date": "2026-05-01"}, "end": {"dateTime": "2026-05-02T00:00:00Z"}}"#,
        ]
    )
    func mistakes(_ body: String) async throws {
        try await LiveAPI.with(scope: "calendar") { ada in
            let response = try await ada.send(.post, Self.events, body)
            #expect(response.status == .badRequest)
            #expect(try await Self.summaries(ada) == [])
        }
    }

    @Test("Rejects an identifier that exists")
    func duplicate() async throws {
        try await LiveAPI.with(scope: "calendar") { ada in
            let body = Self.event("x", "2026-05-01", "2026-05-02", more: #", "id": "abcde12345""#)
            let event = try await ada.json(.post, Self.events, body)
            #expect(event["id"]?.string == "abcde12345")
            #expect(try await ada.failure(.post, Self.events, body) == "409 duplicate")
        }
    }

    static let calls: [(String, [(String, Int)])] = [
        ("calendar", [("GET events", 200), ("POST events", 400), ("DELETE events/x", 404), ("GET nothing", 404)]),
        ("calendar.readonly", [("GET events", 200), ("GET events/x", 404), ("POST events", 403)]),
        ("calendar.events", [("GET events", 200), ("POST events", 400), ("DELETE events/x", 404)]),
        ("calendar.events.readonly", [("GET events", 200), ("POST events", 403), ("DELETE events/x", 403)]),
        ("calendar.calendarlist.readonly", [("GET events", 403)]), ("drive", [("GET events", 403)]),
    ]

    @Test("Allows only the calls of each Calendar scope", arguments: calls)
    func scopes(scope: String, calls: [(String, Int)]) async throws {
        try await LiveAPI.with(scope: scope) { ada in
            for (call, status) in calls {
                let words = call.split(separator: " ").map(String.init)
                let method = try #require(HTTPRequest.Method(words[0]))
                let path = "/calendar/v3/calendars/primary/\(words[1])"
                let response = try await ada.send(method, path, method == .post ? "{}" : nil)
                #expect(response.status.code == status, "\(scope): \(call)")
            }
        }
    }
}
#endif
