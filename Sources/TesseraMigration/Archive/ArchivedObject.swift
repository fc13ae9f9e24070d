// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// One object of a keyed archive: its class's name and its members, read by key.
///
/// A key that is absent or null gives nil; one with something else than was asked for is damage.
struct ArchivedObject: Sendable {
    let archive: KeyedArchive
    let className: String
    let members: [String: BinaryPropertyList.Object]

    /// The class's name without its module's, which classes written in Swift have before it.
    var plainClassName: String { self.className.split(separator: ".").last.map(String.init) ?? self.className }

    /// A text.
    func text(_ key: String) throws(MigrationError) -> String? {
        guard let place = try self.place(key), let value = try self.archive.value(place) else { return nil }
        if case .string(let text) = value { return text }
        // A mutable string is an object, with its text as it is or as UTF-8.
        let object = try self.archive.object(place)
        guard ["NSString", "NSMutableString"].contains(object.className) else { throw self.wrong(key, "a text") }
        switch (object.members["NS.string"], object.members["NS.bytes"]) {
        case (.string(let text), nil): return text
        case (nil, .data(let bytes)):
            guard let text = String(wellFormedUTF8: bytes) else { throw self.wrong(key, "a text") }
            return text
        default: throw self.wrong(key, "a text")
        }
    }

    /// An absolute URL, as it was written.
    func url(_ key: String) throws(MigrationError) -> String? {
        guard let object = try self.object(key, ["NSURL"]) else { return nil }
        let base = try object.place("NS.base").flatMap { place throws(MigrationError) in try self.archive.value(place) }
        guard base == nil, let text = try object.text("NS.relative") else {
            throw self.wrong(key, "an absolute URL")
        }
        return text
    }

    /// An object of one of these classes.
    func object(_ key: String, _ classes: Set<String>) throws(MigrationError) -> ArchivedObject? {
        guard let place = try self.place(key), try self.archive.value(place) != nil else { return nil }
        let object = try self.archive.object(place)
        guard classes.contains(object.plainClassName) else {
            throw self.wrong(key, classes.sorted().joined(separator: " or "))
        }
        return object
    }

    /// The place of a member in the archive's table.
    private func place(_ key: String) throws(MigrationError) -> Int? {
        switch self.members[key] {
        case nil: return nil
        case .reference(let place): return place
        default: throw self.wrong(key, "an object")
        }
    }

    private func wrong(_ key: String, _ expected: String) -> MigrationError {
        MigrationError(.damaged, detail: "expected \(key) of \(self.plainClassName.prefix(80)) to be \(expected)")
    }
}
