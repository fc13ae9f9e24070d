// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
@testable internal import TesseraCommand
@testable internal import TesseraConsole
internal import TesseraFetch
internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("Text for a terminal")
struct TerminalTextInternalTests {
    @Test("Escapes interpolated values but not literals and escaped text", .covers(131))
    func interpolation() {
        let inner: TerminalText = "a\n\u{1B}[1m\("b\n\u{1B}[1m")"
        #expect(inner.description == "a\n\u{1B}[1mb\\u{a}\\u{1b}[1m")
        let outer: TerminalText = "\(inner)\(1)\t"
        #expect(outer.description == inner.description + "1\t")
        #expect((inner + "\n" + outer).description == inner.description + "\n" + outer.description)
        #expect(["a", "b", "c"].map { "\($0)" as TerminalText }.joined(separator: "\n").description == "a\nb\nc")
        #expect(TerminalText(lines: "a\nb\r\n\u{9B}c").description == "a\nb\\u{d}\\u{a}\\u{9b}c")
        HostileText.expectHarmless(("\(HostileText.escape)" as TerminalText).description, "a text")
    }

    @Test("Keeps hostile names, values and cells within their table row", .covers(131))
    func tables() {
        var fields = FieldTable()
        fields.add(HostileText.escape, HostileText.escape)
        fields.add("Name", ["one", HostileText.escape])
        #expect(fields.text.description.split(separator: "\n").count == 3)
        HostileText.expectHarmless(fields.text.description, "a table of fields")
        var columns = ColumnTable("A", "B")
        columns.add(HostileText.escape, "x")
        columns.add("漢字", "y")
        let rows = columns.text.description.split(separator: "\n")
        #expect(rows.count == 3)
        #expect(Set(rows.map { String($0.dropLast()).columns }).count == 1)
        HostileText.expectHarmless(columns.text.description, "a table of columns")
    }

    @Test("Reports an error in one line, regardless of its text", .covers(131))
    func errors() {
        let error = StoreError(.unavailable, location: HostileText.escape, detail: "FATAL: \(HostileText.escape)")
        for report in [ErrorReport(error), ErrorReport(error, of: HostileText.escape)] {
            #expect(!report.text.description.contains("\n"))
            HostileText.expectHarmless(report.text.description, "an error")
        }
    }

    @Test("Escapes control characters in JSON without changing its values", .covers(131))
    func json() throws {
        let received = try JSONValue(parsing: "{\r\n\t\"a\u{202E}\": [\"\u{7F}\u{9B}\u{2028}\u{E0001}ä\", 1.0]\r\n}")
        let node: JSONNode = ["name": .string(HostileText.escape), "received": .parsed(received)]
        for isPretty in [false, true] {
            let bytes = node.printable(pretty: isPretty)
            let text = String(decoding: bytes, as: UTF8.self)
            HostileText.expectHarmless(text, "JSON")
            #expect(text.contains("\n") == isPretty)
            let read = try JSONValue(parsing: bytes)
            #expect(read["name"]?.string == HostileText.escape)
            #expect(read["received"] == received)
            #expect(text.contains(#"\u007f\u009b\u2028\udb40\udc01ä"#))
        }
    }

    @Test("Filters control characters at any chunk boundary", .covers(131), arguments: 1...7)
    func filter(_ size: Int) {
        let bytes = Array("ä漢\u{1F600}\r\n\tx\u{9B}31m\rFORGED\n\u{202E}".utf8) + [0xFF, 0x41]
        var filter = TerminalFilter()
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            output += filter.filtered(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        let expected = "ä漢\u{1F600}\n\tx\\u{9b}31m\\u{d}FORGED\n\\u{202e}\u{FFFD}A"
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test(
        "Fits a status line into a terminal of any width",
        .covers(146),
        arguments: [1, 2, 8, 20, 40, 66, 200]
    )
    func statusLine(_ columns: Int) {
        let step = TransferProgress.Step(completed: 500_000_000, total: 1_200_000_000)
        for name in ["film.mp4", String(repeating: "漢", count: 80), HostileText.escape] {
            for total in [step, TransferProgress.Step(completed: 5, total: nil)] {
                let line = TransferLine(name: name, step: total, rate: 23_400_000)
                let text = StatusLine.fitting(line.texts(columns: columns), columns: columns).description
                #expect(text.columns <= max(1, columns - 1), "\(text)")
                HostileText.expectHarmless(text, "a transfer")
            }
        }
        let texts: [TerminalText] = ["a long text of thirty columns.", "fifteen columns", "five."]
        let text = StatusLine.fitting(texts, columns: columns).description
        #expect(text == (columns > 30 ? "a long text of thirty columns." : columns > 15 ? "fifteen columns" : text))
        #expect(text.columns <= max(1, columns - 1))
    }

    @Test("Counts two columns for wide characters and none for combining marks")
    func width() {
        #expect("film.mp4".columns == 8)
        #expect("漢字".columns == 4)
        #expect("e\u{301}".columns == 1)
        #expect("\u{1F600}".columns == 2)
        #expect("\u{1F1E9}\u{1F1EA}".columns == 2)
        #expect("é".columns == 1)
        #expect("漢字漢字".fitted(to: 5) == "漢字…")
        #expect("abc".fitted(to: 3) == "abc")
        #expect("abcd".fitted(to: 3) == "ab…")
        #expect("".fitted(to: 0) == "")
        #expect("ab".fitted(to: 0) == "")
        #expect("ab".fitted(to: 1) == "…")
    }
}
