// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJOSE
internal import TesseraJSON
internal import Testing

@Suite("API objects")
struct APIObjectTests {
    @Test("Reads 64-bit integers from strings, NaN, timestamps and enumeration values")
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

    @Test("Writes changed members in the API's format and preserves the others exactly")
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

    @Test("Changes nested objects in place and preserves their unknown members")
    func changesWithin() throws {
        var note = try Note.parsed(#"{"lines":[{"title":"a","new":1}],"parent":{"new":2}}"#)
        note.lines?[0].title = "b"
        note.lines?.append(Note { $0.title = "c" })
        note.parent?.pages = 4
        #expect(note.node.text() == #"{"lines":[{"title":"b","new":1},{"title":"c"}],"parent":{"new":2,"pages":4}}"#)
    }

    @Test("Hashes equal objects equally, regardless of origin, member order and number format")
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
        "Hashes objects differently if a name, a value or an element's position differs",
        arguments: [
            #"{"title":"b"}"#, #"{"kind":"a"}"#, #"{"title":null}"#, #"{}"#, #"{"lines":[{"title":"a"},{}]}"#,
            #"{"lines":[{},{"title":"a"}]}"#, #"{"labels":{"title":"a"}}"#,
        ]
    )
    func differentHashes(_ text: String) throws {
        #expect(try Note.parsed(text).hashValue != Note.parsed(#"{"title":"a"}"#).hashValue)
    }

    @Test("Distinguishes absent members, null and values")
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

    @Test("Sets members of nested objects to null")
    func nestedNull() throws {
        var note = try Note.parsed(#"{"parent":{"title":"a","pages":2}}"#)
        note.setNull(\.parent?.pages)
        #expect(note.node.text() == #"{"parent":{"title":"a","pages":null}}"#)
        #expect(note.isNull(\.parent?.pages))
        #expect(!note.isNull(\.parent?.title))
        #expect(!note.isNull(\.parent))
        var patch = Note()
        patch.setNull(\.parent?.parent?.title)
        #expect(patch.node.text() == #"{"parent":{"parent":{"title":null}}}"#)
        #expect(FieldSelection.in(\Note.parent?.lines, .of(\Note.title)).text == "parent/lines(title)")
    }

    @Test("Creates a patch with changed members, null for removed ones, and nested patches")
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

    @Test("Compares objects by their members, regardless of order and origin")
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
        "Rejects a response of the wrong shape and reports the location",
        arguments: [
            (#"[]"#, "an object"), (#"{"title":1}"#, "a string at title"), (#"{"pages":"x"}"#, "valid number at pages"),
            (#"{"pages":3000000000}"#, "valid number at pages"), (#"{"length":1.5}"#, "valid number at length"),
            (#"{"lines":{}}"#, "an array at lines"), (#"{"lines":[{},{"parent":7}]}"#, "an object at lines[1].parent"),
            (#"{"labels":{"a":1}}"#, "a string at labels.a"), (#"{"parent":{"lines":[[]]}}"#, "parent.lines[0]"),
        ]
    )
    func refuses(_ text: String, _ location: String) throws {
        let error = try #require(throws: ProtocolViolationError.self) { try Note.parsed(text) }
        #expect(error.rule == .apiResponse)
        #expect(error.expected.contains(location))
    }

    @Test("Reads an invalid timestamp as nil and preserves its text")
    func lenient() throws {
        let note = try Note.parsed(#"{"written":"yesterday"}"#)
        #expect(note.written == nil)
        #expect(note[member: "written"]?.stringValue == "yesterday")
    }

    @Test("Builds a field selection from key paths, including those of lists and objects")
    func selections() {
        #expect(FieldSelection.of(\Note.title, \.lines?[0].parent?.pages).text == "title,lines/parent/pages")
        #expect(FieldSelection.in(\Note.lines, .of(\Note.title, \.pages)).text == "lines(title,pages)")
        #expect((FieldSelection("a") + "b(c,d)").text == "a,b(c,d)")
    }

    @Test("Describes an object by its JSON")
    func shown() throws {
        #expect("\(try Note.parsed(#"{"title":"a"}"#))".contains(#"{"title":"a"}"#))
    }
}
