// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleCalendarV3
internal import TesseraCommand
internal import TesseraConsole
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth

/// `tessera calendar`.
struct CalendarCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: SiblingProgram.calendar.command,
        abstract: SiblingProgram.calendar.abstract,
        discussion: """
            Write a time with its offset, such as 2026-05-01T09:00:00+02:00 or 2026-05-01T07:00:00Z, or a date such \
            as 2026-05-01 for an event that lasts all day.

            Examples:
              tessera calendar ls
              tessera calendar ls --from 2026-05-01 --to 2026-06-01 --format csv
              tessera calendar add 'Team lunch' --start 2026-05-01T12:00:00+02:00
            """,
        subcommands: [CalendarListCommand.self, CalendarAddCommand.self]
    )
}

/// `tessera calendar ls`.
struct CalendarListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List events in order of their start",
        discussion: """
            Without --from, lists events that have not ended yet. Each occurrence of a recurring event is listed.

            Examples:
              tessera calendar ls
              tessera calendar ls lunch --from 2026-05-01 --to 2026-06-01
            """
    )

    @Argument(help: ArgumentHelp("List only events that contain these words.", valueName: "words"))
    var query: String?

    @Option(help: ArgumentHelp("List events that end after this time.", valueName: "time"))
    var from: EventTime?

    @Option(help: ArgumentHelp("List events that start before this time.", valueName: "time"))
    var to: EventTime?

    @Option(help: ArgumentHelp("The calendar's identifier.", valueName: "id"))
    var calendar = "primary"

    @Option(help: ArgumentHelp("The maximum number of events.", valueName: "number"))
    var limit = 100

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var list: ListOptions

    func validate() throws {
        if self.limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        let scopes = [CalendarV3.Scope.calendarEventsReadonly]
        let events = try await self.connection.connect(scopes: scopes) { connection in
            let client: CalendarV3 = connection.client()
            let call = client.events.list(
                calendarId: self.calendar,
                maxResults: min(self.limit, 2500),
                orderBy: .startTime,
                q: self.query,
                singleEvents: true,
                timeMax: self.to?.timestamp,
                timeMin: self.from?.timestamp ?? Timestamp(WallClock.now)
            )
            return try await call.items.first(self.limit, called: "events")
        }
        self.list.result(["events": .array(events.map(EventText.json))], Self.rows(events))
    }

    private static func rows(_ events: [CalendarV3.Event]) -> ListRows {
        var rows = ListRows([
            "start": "START", "end": "END", "summary": "SUMMARY", "location": "LOCATION", "status": nil, "id": "ID",
        ])
        for event in events {
            rows.add(
                .init(EventText.time(event.start)),
                .init(EventText.time(event.end)),
                .init(event.summary, shown: UntrustedText.printable(event.summary ?? "", limit: 60)),
                .init(event.location, shown: UntrustedText.printable(event.location ?? "", limit: 40)),
                .init(event.status),
                .init(event.id)
            )
        }
        return rows
    }
}

/// `tessera calendar add`.
struct CalendarAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an event and print its identifier",
        discussion: """
            Without --end, the event lasts one hour or, if --start is a date, one day. The end is exclusive: an event \
            on May 1 and 2 ends on 2026-05-03. Guests get no email unless you pass --notify.

            Examples:
              tessera calendar add 'Team lunch' --start 2026-05-01T12:00:00+02:00
              tessera calendar add Holiday --start 2026-05-01 --end 2026-05-03
              tessera calendar add Review --start 2026-05-01T09:00:00Z --with mia@example.com --notify
            """
    )

    @Argument(help: ArgumentHelp("The title.", valueName: "summary"))
    var summary: String

    @Option(help: ArgumentHelp("The start.", valueName: "time"))
    var start: EventTime

    @Option(help: ArgumentHelp("The end.", valueName: "time"))
    var end: EventTime?

    @Option(help: ArgumentHelp("The place.", valueName: "text"))
    var location: String?

    @Option(help: ArgumentHelp("A longer description.", valueName: "text"))
    var description: String?

    @Option(help: ArgumentHelp("A guest's email address. Can be repeated.", valueName: "email"))
    var with: [String] = []

    @Flag(help: "Send an email to the guests.")
    var notify = false

    @Option(help: ArgumentHelp("The calendar's identifier.", valueName: "id"))
    var calendar = "primary"

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard self.with.allSatisfy({ $0.contains("@") }) else {
            throw ValidationError("--with requires an email address.")
        }
        guard let end else { return }
        guard self.start.isDate == end.isDate else {
            throw ValidationError("--start and --end must both be dates or both be times.")
        }
        guard self.start.timestamp < end.timestamp else { throw ValidationError("--end must be after --start.") }
    }

    func run() async throws {
        let event = CalendarV3.Event {
            $0.summary = self.summary
            $0.start = self.start.value
            $0.end = (self.end ?? self.start.usualEnd).value
            $0.location = self.location
            $0.description = self.description
            if !self.with.isEmpty {
                $0.attendees = self.with.map { email in CalendarV3.EventAttendee { $0.email = email } }
            }
        }
        let scopes = [CalendarV3.Scope.calendarEvents]
        let made = try await self.connection.connect(scopes: scopes, writes: true) { connection in
            let client: CalendarV3 = connection.client()
            return try await client.events
                .insert(event, calendarId: self.calendar, sendUpdates: self.notify ? .all : .noneValue).execute()
        }
        self.output.result(EventText.json(made), "\(made.id ?? "")")
    }
}

/// A time with an offset, or a date.
struct EventTime: ExpressibleByArgument, Sendable {
    private let date: CivilDate?
    /// The time, or the beginning of the date in UTC.
    let timestamp: Timestamp

    private init?(_ date: CivilDate) {
        guard let timestamp = Timestamp(seconds: date.daysSince1970 * 86_400) else { return nil }
        self.date = date
        self.timestamp = timestamp
    }

    private init(_ timestamp: Timestamp) {
        self.date = nil
        self.timestamp = timestamp
    }

    init?(argument: String) {
        if let date = CivilDate(argument) {
            self.init(date)
        } else if let timestamp = Timestamp(argument) {
            self.init(timestamp)
        } else {
            return nil
        }
    }

    var isDate: Bool { self.date != nil }

    var value: CalendarV3.EventDateTime {
        CalendarV3.EventDateTime {
            if let date = self.date { $0.date = date } else { $0.dateTime = self.timestamp }
        }
    }

    /// One day after a date, or one hour after a time.
    var usualEnd: EventTime {
        if let date, let next = CivilDate(daysSince1970: date.daysSince1970 + 1), let end = EventTime(next) {
            return end
        }
        let end = Timestamp(
            seconds: self.timestamp.seconds + 3600,
            nanoseconds: self.timestamp.nanoseconds,
            offsetMinutes: self.timestamp.offsetMinutes
        )
        return EventTime(end ?? self.timestamp)
    }
}

/// The display of an event.
enum EventText {
    /// Returns a date or a time with its offset, or an empty string if it is missing.
    static func time(_ time: CalendarV3.EventDateTime?) -> String {
        time?.dateTime?.description ?? time?.date?.description ?? ""
    }

    static func json(_ event: CalendarV3.Event) -> JSONNode {
        func text(_ text: String?) -> JSONNode { text.map { .string($0) } ?? .null }
        return [
            "id": text(event.id), "summary": text(event.summary), "start": .string(Self.time(event.start)),
            "end": .string(Self.time(event.end)), "location": text(event.location), "status": text(event.status),
            "htmlLink": text(event.htmlLink),
        ]
    }
}
