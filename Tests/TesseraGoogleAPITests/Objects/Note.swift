// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJSON

/// An API object in the form of generated code.
struct Note: APIObject {
    struct Colour: APIEnumeration {
        let rawValue: String

        static var red: Self { Self(rawValue: "RED") }
    }

    var storage = APIStorage()

    static let shape = APIShape(
        """
        colour: string
        labels: {string}
        length: int64
        lines: [Note]
        pages: int32
        parent: Note
        title: string
        weight: double
        written: timestamp
        """,
        ["Note": Note.self]
    )

    var colour: Colour? {
        get { self.storage[value: "colour"] }
        set { self.storage[value: "colour"] = newValue }
    }
    var labels: [String: String]? {
        get { self.storage[value: "labels"] }
        set { self.storage[value: "labels"] = newValue }
    }
    var length: Int64? {
        get { self.storage[int64: "length"] }
        set { self.storage[int64: "length"] = newValue }
    }
    var lines: [Note]? {
        get { self.storage[value: "lines"] }
        set { self.storage[value: "lines"] = newValue }
    }
    var pages: Int? {
        get { self.storage[int: "pages"] }
        set { self.storage[int: "pages"] = newValue }
    }
    var parent: Note? {
        get { self.storage[value: "parent"] }
        set { self.storage[value: "parent"] = newValue }
    }
    var title: String? {
        get { self.storage[string: "title"] }
        set { self.storage[string: "title"] = newValue }
    }
    var weight: Double? {
        get { self.storage[double: "weight"] }
        set { self.storage[double: "weight"] = newValue }
    }
    var written: Timestamp? {
        get { self.storage[timestamp: "written"] }
        set { self.storage[timestamp: "written"] = newValue }
    }

    static func parsed(_ text: String) throws -> Note { try Note.received(try JSONValue(parsing: text)) }
}
