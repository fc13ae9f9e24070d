// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import TesseraConsole
internal import Testing

@Suite("Rows of lists")
struct ListRowsInternalTests {
    private static func rows(_ cells: ListRows.Cell...) -> ListRows {
        var rows = ListRows(["name": "NAME", "size": "SIZE", "type": nil])
        rows.add(row: cells)
        return rows
    }

    @Test("A table shows the columns with a heading, and escapes text from outside")
    func table() {
        let text = Self.rows(.init("film\u{1B}[2J\n.mp4"), .init("2000000", shown: "2.0 MB"), "video/mp4").text
        #expect(text.description == "NAME                    SIZE\nfilm\\u{1b}[2J\\u{a}.mp4  2.0 MB")
        HostileText.expectHarmless(Self.rows(.init(HostileText.escape)).text.description, "a table")
    }

    @Test(
        "CSV quotes separators, quotes and line breaks, and ends lines with CR LF",
        arguments: [
            ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("a\r\nb", "\"a\r\nb\""),
            ("a\nb", "\"a\nb\""), ("", ""), (" a ", " a "), ("e\u{301},", "\"e\u{301},\""),
            ("\"\u{301}", "\"\"\"\u{301}\""),
        ]
    )
    func csv(_ value: String, _ field: String) {
        let bytes = Self.rows(.init(value), .init("1", shown: "1 B"), "x").csv
        #expect(bytes == Array("name,size,type\r\n\(field),1,x\r\n".utf8))
    }

    @Test(
        "TSV escapes tabs, line breaks and backslashes",
        arguments: [("a\tb", #"a\tb"#), ("a\r\nb", #"a\r\nb"#), (#"a\tb"#, #"a\\tb"#), ("\"a\",b", "\"a\",b")]
    )
    func tsv(_ value: String, _ field: String) {
        let bytes = Self.rows(.init(value), .init(nil, shown: "-"), "x").tsv
        #expect(bytes == Array("name\tsize\ttype\n\(field)\t\tx\n".utf8))
    }
}
