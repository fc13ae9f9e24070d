// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraLocalProvider
internal import Testing

@Suite("tessera calendar")
struct CalendarCommandTests {
    private static func play(_ body: (_ scene: Scene, _ root: [String]) async throws -> Void) async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", "https://www.googleapis.com/auth/calendar.events")
            try await body(scene, ["--root-url", scene.provider.baseURL])
        }
    }

    @Test("add creates an event, and ls lists events in order of their start")
    func events() async throws {
        try await Self.play { scene, root in
            let lunch = try await scene.run(
                [
                    "calendar", "add", "Lunch, outside", "--start", "2096-05-02T12:00:00+02:00", "--with",
                    "mia@example.com",
                ]
                    + root
            )
            #expect(lunch.status == 0, "\(lunch.errors)")
            let day = ["calendar", "add", "Holiday", "--start", "2096-05-01", "--location", "Home", "--json"] + root
            #expect(try await scene.run(day).json()["end"]?.string == "2096-05-02")
            let list = try await scene.run(["calendar", "ls", "--json"] + root).json()
            let events = list["events"]?.elements.map(Array.init) ?? []
            #expect(events.map { $0["summary"]?.string } == ["Holiday", "Lunch, outside"])
            #expect(events.last?["end"]?.string == "2096-05-02T13:00:00+02:00")
            #expect(events.last?["id"]?.string == lunch.line)
            let csv = try await scene.run(["calendar", "ls", "lunch", "--format", "csv"] + root)
            #expect(csv.text.hasPrefix("start,end,summary,location,status,id\r\n2096-05-02T12:00:00+02:00,"))
            #expect(csv.text.contains(",\"Lunch, outside\",,confirmed,"), "\(csv.text)")
            let none = ["calendar", "ls", "--from", "2000-01-01", "--to", "2000-01-02", "--json"] + root
            #expect(try await scene.run(none).json()["events"]?.elements?.isEmpty == true)
        }
    }

    @Test(
        "Rejects times without an offset, mixed times and an end before the start",
        arguments: [
            ["--start", "2026-05-01T12:00:00"], ["--start", "tomorrow"],
            ["--start", "2026-05-01", "--end", "2026-05-01T12:00:00Z"],
            ["--start", "2026-05-02", "--end", "2026-05-01"], ["--start", "2026-05-01", "--with", "mia"],
        ]
    )
    func mistakes(_ options: [String]) async throws {
        try await Scene.play { scene in
            let output = try await scene.run(["calendar", "add", "Lunch"] + options)
            #expect(output.status == 2, "\(output.errors)")
        }
    }
}
