// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A subset of the Calendar API with one in-memory calendar for each account.
///
/// Guests get no invitations.
final class CalendarService: Sendable {
    /// A function that performs a call and returns the response, or `nil` for a response without content.
    private typealias Method = @Sendable (inout AccountCalendar, APICall) throws -> JSONNode?

    /// The calendars, keyed by their account's subject identifier.
    private let calendars = Mutex<[String: AccountCalendar]>([:])

    static func isCalendar(_ path: String) -> Bool { path.hasPrefix("/calendar/v3/") }

    static let unknownMethod = APIFailure(
        .notFound,
        "notFound",
        "This Calendar only supports the primary calendar, and getting, listing, adding and deleting its events."
    )

    /// Adds the Calendar API's methods, along with the scopes that they accept.
    ///
    /// - SeeAlso: [Calendar API, REST reference](https://developers.google.com/workspace/calendar/api/v3/reference)
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    func addRoutes(to router: Router<ProviderRequestContext>, _ service: ProviderService) {
        let write = [ScopeCatalog.calendar, ScopeCatalog.calendarEvents, ScopeCatalog.calendarEventsOwned]
        let read =
            write + [
                ScopeCatalog.calendarReadonly, ScopeCatalog.calendarEventsReadonly,
                ScopeCatalog.calendarEventsOwnedReadonly,
            ]
        let lists = [
            ScopeCatalog.calendar, ScopeCatalog.calendarReadonly, ScopeCatalog.calendarList,
            ScopeCatalog.calendarListReadonly,
        ]
        let events = "/calendar/v3/calendars/:calendar/events"
        self.on(router, .get, events, read, service) { try $0.list($1) }
        self.on(router, .post, events, write, service) { try $0.insert($1) }
        self.on(router, .get, "\(events)/:id", read, service) { try $0.get($1) }
        self.on(router, .delete, "\(events)/:id", write, service) { try $0.delete($1) }
        self.on(router, .get, "/calendar/v3/users/me/calendarList", lists, service) { AccountCalendar.lists($1) }
    }

    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    private func on(
        _ router: Router<ProviderRequestContext>,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ scopes: [String],
        _ service: ProviderService,
        _ response: @escaping Method
    ) {
        router.on(RouterPath(path), method: method) { request, context -> ProviderResponse in
            let request = try await ProviderRequest(request, context, limit: 1 << 20)
            let call = try service.apiCall(request, anyOf: scopes, fields: "*", service: "calendar-json.googleapis.com")
            if let calendar = request.pathParameters["calendar"] {
                // A plus sign in a path does not represent a space.
                let word = calendar.replacing("+", with: "%2B")
                let id = (try? FormParameters(received: "id=\(word)"))?["id"] ?? ""
                guard id == "primary" || id.lowercased() == call.account.email.lowercased() else {
                    throw AccountCalendar.notFound
                }
            }
            let node = try self.calendars.withLock { calendars in
                try response(&calendars[call.account.subject, default: AccountCalendar()], call)
            }
            guard let node else { return ProviderResponse(.noContent) }
            return call.response(node)
        }
    }
}

/// An account's calendar.
struct AccountCalendar: Sendable {
    private var events: [CalendarEvent] = []
    private var lastNumber = 0

    private static let limit = 10_000

    static var notFound: APIFailure { APIFailure(.notFound, "notFound", "Not Found") }

    /// Handles `events.list`.
    func list(_ call: APICall) throws(APIFailure) -> JSONNode {
        let bounds = (try Self.bound("timeMin", call), try Self.bound("timeMax", call))
        if let earliest = bounds.0, let latest = bounds.1, earliest >= latest {
            throw APIFailure(.badRequest, "timeRangeEmpty", "The specified time range is empty.")
        }
        let isSingle = try call.parameters.flag("singleEvents")
        let words = call.parameters["q"] ?? ""
        var found = self.events.filter { event in
            // The bounds are exclusive.
            bounds.0.map { event.end.moment > $0 } ?? true && bounds.1.map { event.start.moment < $0 } ?? true
                && event.contains(words: words)
        }
        switch call.parameters["orderBy"] {
        case nil: break
        case "startTime" where isSingle: found.sort { ($0.start.moment, $0.id) < ($1.start.moment, $1.id) }
        case "startTime":
            throw .badRequest("The requested ordering is not available for the particular query.")
        case "updated": found.sort { $0.created < $1.created }
        default: throw .invalid("orderBy")
        }
        let question = ["timeMin", "timeMax", "q", "orderBy"].map { call.parameters[$0] ?? "" }.joined(separator: "|")
        let (page, next) = try call.page(found, size: ("maxResults", 2500), "events|\(question)")
        return .members([
            "kind": "calendar#events", "summary": call.account.email, "timeZone": "UTC", "accessRole": "owner",
            "updated": RFC3339.text(call.now), "items": page.map { $0.node(call) }, "nextPageToken": next,
        ])
    }

    private static func bound(_ name: String, _ call: APICall) throws(APIFailure) -> Date? {
        guard let text = call.parameters[name] else { return nil }
        guard let date = RFC3339.date(text), RFC3339.hasOffset(text) else { throw .invalid(name, "Bad Request") }
        return date
    }

    /// Handles `events.insert`.
    mutating func insert(_ call: APICall) throws(APIFailure) -> JSONNode {
        guard let value = try? JSONValue(parsing: call.request.body), value.kind == .object else {
            throw .parseError("Parse Error")
        }
        let event = try CalendarEvent(value, id: self.newID(call), now: call.now)
        guard !self.events.contains(where: { $0.id == event.id }) else {
            throw APIFailure(.conflict, "duplicate", "The requested identifier already exists.")
        }
        guard self.events.count < Self.limit else {
            throw .forbidden("quotaExceeded", "Calendar usage limits exceeded.")
        }
        self.lastNumber += 1
        self.events.append(event)
        return event.node(call)
    }

    /// Handles `events.get`.
    func get(_ call: APICall) throws(APIFailure) -> JSONNode {
        guard let event = self.events.first(where: { $0.id == call.id }) else { throw Self.notFound }
        return event.node(call)
    }

    /// Handles `events.delete`.
    mutating func delete(_ call: APICall) throws(APIFailure) -> JSONNode? {
        guard let index = self.events.firstIndex(where: { $0.id == call.id }) else { throw Self.notFound }
        self.events.remove(at: index)
        return nil
    }

    /// Handles `calendarList.list`.
    static func lists(_ call: APICall) -> JSONNode {
        let calendar = JSONNode.members([
            "kind": "calendar#calendarListEntry", "id": call.account.email, "summary": call.account.email,
            "timeZone": "UTC", "accessRole": "owner", "primary": true, "selected": true,
        ])
        return .members(["kind": "calendar#calendarList", "items": [calendar]])
    }

    /// Returns an identifier of 16 hexadecimal digits, which is the same on every run.
    private func newID(_ call: APICall) -> String {
        let text = "\(call.account.subject)|event|\(self.lastNumber)"
        return SHA256.hash(data: Array(text.utf8)).prefix(8).hexadecimal
    }
}
#endif
