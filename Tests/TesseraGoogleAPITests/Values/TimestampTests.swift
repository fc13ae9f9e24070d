// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGoogleAPI
internal import Testing

@Suite("Timestamps, dates and durations")
struct TimestampTests {
    @Test(
        "Round-trips a timestamp with its offset and nanoseconds",
        arguments: [
            "1970-01-01T00:00:00Z", "2026-11-23T10:00:00.500Z", "2026-11-23T10:00:00.123456789Z",
            "2024-02-29T23:59:59+05:30", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
            "1969-12-31T23:59:59.999Z", "2026-01-01T00:30:00.000001-01:00",
        ]
    )
    func roundTrip(_ text: String) throws {
        #expect(try #require(Timestamp(text)).description == text)
    }

    @Test("Compares timestamps as points in time, regardless of their offsets")
    func compares() throws {
        let (utc, east) = (try #require(Timestamp("2026-11-23T10:00:00Z")), Timestamp("2026-11-23T11:00:00+01:00"))
        #expect(utc == east)
        #expect(Set([utc, east]).count == 1)
        let later = try #require(Timestamp("2026-11-23T10:00:00.000000001Z"))
        #expect(utc < later)
        #expect(utc.seconds == 1_795_428_000)
    }

    @Test(
        "Converts between timestamps and Foundation dates, including dates before 1970",
        arguments: [0.0, 1_795_428_000.25, -1.75, -62_135_596_800]
    )
    func dates(seconds: Double) throws {
        let timestamp = Timestamp(Date(timeIntervalSince1970: seconds))
        #expect(timestamp.date.timeIntervalSince1970 == seconds)
        #expect(0..<1_000_000_000 ~= timestamp.nanoseconds)
    }

    @Test(
        "Rejects an invalid timestamp",
        arguments: [
            "", "2026-11-23", "2026-11-23T10:00:00", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
            "2026-11-23T24:00:00Z", "2026-11-23T10:00:00.Z", "2026-11-23T10:00:00.1234567890Z",
            "2026-11-23T10:00:00+24:00", "2026-11-23T10:00:00Z ", "０026-11-23T10:00:00Z", "-026-11-23T10:00:00Z",
        ]
    )
    func refuses(_ text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("Converts every day from 1600 to 2400 to a day number and back")
    func days() throws {
        var day = try #require(CivilDate(year: 1_600, month: 1, day: 1))
        var (count, months) = (0, 0)
        while day.year < 2_400 {
            let next = try #require(CivilDate(daysSince1970: day.daysSince1970 + 1))
            #expect(next > day)
            #expect(next.daysSince1970 == day.daysSince1970 + 1)
            if next.month != day.month { months += 1 }
            (day, count) = (next, count + 1)
        }
        #expect(count == 292_194)
        #expect(months == 9_600)
        #expect(CivilDate("1970-01-01")?.daysSince1970 == 0)
        #expect(CivilDate("2026-11-23")?.description == "2026-11-23")
        #expect(CivilDate("2026-11-31") == nil)
        #expect(CivilDate("26-11-23") == nil)
    }

    @Test("Round-trips a duration", arguments: ["0s", "3.500s", "-0.000000001s", "315576000000s", "-1.250s"])
    func spans(_ text: String) throws {
        #expect(try #require(ProtoDuration(text)).description == text)
    }

    @Test(
        "Rejects an invalid duration",
        arguments: ["", "1", "1m", "s", "1.s", "315576000001s", "--1s", "1.1234567890s"]
    )
    func refusesSpans(_ text: String) {
        #expect(ProtoDuration(text) == nil)
    }

    @Test("Converts between ProtoDuration and Duration, and rejects mixed signs")
    func durations() throws {
        #expect(try #require(ProtoDuration("-1.250s")).duration == .milliseconds(-1_250))
        #expect(ProtoDuration(.milliseconds(3_500))?.description == "3.500s")
        #expect(ProtoDuration(seconds: 1, nanoseconds: -1) == nil)
    }
}
