// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraSupport

/// An event in a calendar.
struct CalendarEvent: Sendable {
    /// A time, or a date of an event that lasts all day.
    struct Time: Sendable {
        /// The text in the request, with the offset of the time zone if it has none.
        let text: String
        let isDate: Bool
        let timeZone: String?
        /// The moment, or the beginning of the date in UTC.
        let moment: Date

        init(_ value: JSONValue?, named name: String) throws(APIFailure) {
            let date = value?["date"]?.string
            guard let value, let text = date ?? value["dateTime"]?.string else {
                throw .required(name, "Missing \(name) time.")
            }
            let isWhole = (date != nil) == (text.utf8.count == 10)
            guard isWhole, date == nil || value["dateTime"] == nil, let moment = RFC3339.date(text) else {
                throw .invalid(name, "Invalid \(name) time.")
            }
            self.isDate = date != nil
            self.timeZone = value["timeZone"]?.string
            guard date == nil, !RFC3339.hasOffset(text) else {
                (self.moment, self.text) = (moment, text)
                return
            }
            guard let zone = self.timeZone.flatMap({ TimeZone(identifier: $0) }),
                let time = RFC3339.time(text, in: zone)
            else { throw .required(name, "Missing time zone definition for \(name) time.") }
            (self.moment, self.text) = time
        }

        var node: JSONNode {
            .members([
                "date": self.isDate ? self.text : nil, "dateTime": self.isDate ? nil : self.text,
                "timeZone": self.timeZone,
            ])
        }
    }

    let id: String
    let start: Time
    let end: Time
    let created: Date
    let summary: String?
    let description: String?
    let location: String?
    /// The email addresses of the guests.
    let guests: [String]

    private static let textLimit = 8192
    private static let guestLimit = 200

    /// Parses the body of a request that creates an event, which gets the identifier `id` if the body has none.
    init(_ value: JSONValue, id: String, now: Date) throws(APIFailure) {
        let own = value["id"]?.string
        if let own, !Self.isID(own) { throw .invalid("id", "Invalid resource id value.") }
        guard value["recurrence"] == nil else {
            throw .badRequest("This Calendar does not support recurring events.")
        }
        self.id = own ?? id
        self.start = try Time(value["start"], named: "start")
        self.end = try Time(value["end"], named: "end")
        guard self.start.isDate == self.end.isDate, self.start.moment <= self.end.moment else {
            throw APIFailure(.badRequest, "timeRangeEmpty", "The specified time range is empty.")
        }
        self.created = now
        self.summary = try Self.text(value, "summary")
        self.description = try Self.text(value, "description")
        self.location = try Self.text(value, "location")
        let guests = value["attendees"]?.elements.map { Array($0) } ?? []
        guard guests.count <= Self.guestLimit else { throw .invalid("attendees", "There are too many attendees.") }
        var addresses: [String] = []
        for guest in guests {
            guard let email = guest["email"]?.string, email.contains("@"), email.utf8.count <= 320 else {
                throw .invalid("attendees", "Invalid attendee email.")
            }
            addresses.append(email)
        }
        self.guests = addresses
    }

    private static func text(_ value: JSONValue, _ name: String) throws(APIFailure) -> String? {
        guard let text = value[name]?.string else { return nil }
        guard text.utf8.count <= Self.textLimit else { throw .invalid(name, "The value is too long.") }
        return text
    }

    /// Returns whether a text is an identifier, which has 5 to 1,024 characters of base32hex.
    static func isID(_ text: String) -> Bool {
        (5...1024).contains(text.utf8.count)
            && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "v") ~= $0 }
    }

    /// Returns whether all words occur in the event's texts or guests.
    func contains(words text: String) -> Bool {
        let content = ([self.summary, self.description, self.location].compactMap { $0 } + self.guests)
            .joined(separator: "\n").lowercased()
        return text.lowercased().split(whereSeparator: \.isWhitespace).allSatisfy { content.contains($0) }
    }

    func node(_ call: APICall) -> JSONNode {
        let owner = JSONNode.members(["email": call.account.email, "self": true])
        let guests = self.guests.map { JSONNode.members(["email": $0, "responseStatus": "needsAction"]) }
        return .members([
            "kind": "calendar#event", "etag": "\"\(self.created.milliseconds)\"", "id": self.id, "status": "confirmed",
            "htmlLink": "\(call.baseURL)/calendar/event?eid=\(self.id)", "created": RFC3339.text(self.created),
            "updated": RFC3339.text(self.created), "summary": self.summary, "description": self.description,
            "location": self.location, "creator": owner, "organizer": owner, "start": self.start.node,
            "end": self.end.node, "iCalUID": "\(self.id)@tessera.example", "sequence": 0,
            "attendees": guests.isEmpty ? nil : guests, "reminders": JSONNode.members(["useDefault": true]),
            "eventType": "default",
        ])
    }
}
#endif
