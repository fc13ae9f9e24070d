// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJOSE
internal import TesseraJSON
internal import Testing

@Suite("Objects of an API")
struct APIObjectTests {
    @Test("Members are read as what they are: 64 bits from texts, numbers that JSON has none for, times, known values")
    func reads() throws {
        let note = try Note.parsed(
            #"{"title":"a","length":"9007199254740993","pages":3,"weight":"NaN","colour":"RED","labels":{"k":"v"},"#
                + #""written":"2026-11-23T10:00:00.123456789+01:00","lines":[{"title":"b"},{}],"parent":{"title":"c"}}"#
        )
        #expect(note.title == "a")
        #expect(note.length == 9_007_199_254_740_993)
        #expect(note.pages == 3)
        #expect(note.weight?.isNaN == true)
        #expect(note.colour == .red)
        #expect(note.labels == ["k": "v"])
        #expect(note.written?.nanoseconds == 123_456_789)
        try #require(note.lines?.count == 2)
        #expect(note.lines?[0].title == "b")
        #expect(note.parent?.title == "c")
        #expect(note.parent?.parent == nil)
    }

    @Test("What is set is written as the API wants it, and the rest exactly as it came")
    func writes() throws {
        var note = try Note.parsed(#"{"title":"a","future":{"x":[1.50]},"pages":3}"#)
        note.length = .max
        note.title = "b"
        note.colour = Note.Colour(rawValue: "VIOLET")
        note.pages = nil
        #expect(
            note.node.text()
                == #"{"title":"b","future":{"x":[1.50]},"length":"9223372036854775807","colour":"VIOLET"}"#
        )
        #expect(note.unknownMembers == ["future"])
        #expect(note[member: "future"]?["x"]?[0]?.doubleValue == 1.5)
    }

    @Test("Objects within objects are changed in place, and what nobody knows in them stays")
    func changesWithin() throws {
        var note = try Note.parsed(#"{"lines":[{"title":"a","new":1}],"parent":{"new":2}}"#)
        note.lines?[0].title = "b"
        note.lines?.append(Note { $0.title = "c" })
        note.parent?.pages = 4
        #expect(note.node.text() == #"{"lines":[{"title":"b","new":1},{"title":"c"}],"parent":{"new":2,"pages":4}}"#)
    }

    @Test("Objects that are equal have the same hash, received or made, in any order, with numbers written in any way")
    func equalHashes() throws {
        let received = try Note.parsed(#"{"title":"a","pages":10,"labels":{"k":"v","l":"w"},"lines":[{"title":"x"}]}"#)
        let other = try Note.parsed(#"{"lines":[{"title":"x"}],"labels":{"l":"w","k":"v"},"pages":1e1,"title":"a"}"#)
        let made = Note {
            $0.lines = [Note { $0.title = "x" }]
            $0.labels = ["l": "w", "k": "v"]
            $0.pages = 10
            $0.title = "a"
        }
        #expect(received == other)
        #expect(received == made)
        #expect(received.hashValue == other.hashValue)
        #expect(received.hashValue == made.hashValue)
    }

    @Test(
        "Objects that differ in a name, a value, or the place of an element have different hashes",
        arguments: [
            #"{"title":"b"}"#, #"{"kind":"a"}"#, #"{"title":null}"#, #"{}"#, #"{"lines":[{"title":"a"},{}]}"#,
            #"{"lines":[{},{"title":"a"}]}"#, #"{"labels":{"title":"a"}}"#,
        ]
    )
    func differentHashes(_ text: String) throws {
        #expect(try Note.parsed(text).hashValue != Note.parsed(#"{"title":"a"}"#).hashValue)
    }

    @Test("Absent, null and a value are three things")
    func threeThings() throws {
        var note = try Note.parsed(#"{"title":null,"pages":1}"#)
        #expect(note.isNull(\.title))
        #expect(note.title == nil)
        #expect(!note.isNull(\.pages))
        #expect(!note.isNull(\.parent))
        note.setNull(\.pages)
        note.title = nil
        #expect(note.node.text() == #"{"pages":null}"#)
    }

    @Test("A patch has what changed, null for what is gone, and objects member by member")
    func patches() throws {
        let before = try Note.parsed(
            #"{"title":"a","pages":1,"labels":{"k":"v","l":"w"},"lines":[{"title":"x"}],"parent":{"title":"p","pages":2}}"#
        )
        var after = before
        after.title = "b"
        after.pages = nil
        after.labels?["k"] = nil
        after.parent?.pages = 3
        after.lines = [Note { $0.title = "y" }]
        let patch = after.patch(from: before)
        #expect(
            patch.node.isEquivalent(
                to: [
                    "title": "b", "pages": nil, "labels": ["k": nil], "parent": ["pages": 3],
                    "lines": [["title": "y"]],
                ]
            )
        )
        #expect(before.patch(from: before).node.text() == "{}")
    }

    @Test("Two objects with the same members are equal, in whatever order and however they came about")
    func equality() throws {
        let parsed = try Note.parsed(#"{"pages":1, "title":"a"}"#)
        let made = Note {
            $0.title = "a"
            $0.pages = 1
        }
        #expect(parsed == made)
        #expect(Set([parsed, made]).count == 1)
        #expect(parsed != Note { $0.title = "a" })
    }

    @Test(
        "An answer of another shape is refused, and the error says where",
        arguments: [
            (#"[]"#, "an object"), (#"{"title":1}"#, "a text at title"), (#"{"pages":"x"}"#, "fits at pages"),
            (#"{"pages":3000000000}"#, "fits at pages"), (#"{"length":1.5}"#, "fits at length"),
            (#"{"lines":{}}"#, "a list at lines"), (#"{"lines":[{},{"parent":7}]}"#, "an object at lines[1].parent"),
            (#"{"labels":{"a":1}}"#, "a text at labels.a"), (#"{"parent":{"lines":[[]]}}"#, "parent.lines[0]"),
        ]
    )
    func refuses(_ text: String, _ place: String) throws {
        let error = try #require(throws: ProtocolViolationError.self) { try Note.parsed(text) }
        #expect(error.rule == .apiAnswer)
        #expect(error.expected.contains(place))
    }

    @Test("A time that is none reads as nil, and its text is still there")
    func lenient() throws {
        let note = try Note.parsed(#"{"written":"yesterday"}"#)
        #expect(note.written == nil)
        #expect(note[member: "written"]?.stringValue == "yesterday")
    }

    @Test("A selection of fields is made of properties, those of lists and objects too")
    func selections() {
        #expect(FieldSelection.of(\Note.title, \.lines?[0].parent?.pages).text == "title,lines/parent/pages")
        #expect(FieldSelection.in(\Note.lines, .of(\Note.title, \.pages)).text == "lines(title,pages)")
        #expect((FieldSelection("a") + "b(c,d)").text == "a,b(c,d)")
    }

    @Test("What is shown of an object is its JSON")
    func shown() throws {
        #expect("\(try Note.parsed(#"{"title":"a"}"#))".contains(#"{"title":"a"}"#))
    }
}
