// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// What `NSKeyedArchiver` wrote, as the table of objects that it is: no class is looked for, and none is made.
struct KeyedArchive: Sendable {
    private let list: BinaryPropertyList
    /// The archive's own table: numbers of the list's objects.
    private let table: [Int]
    /// The archive's root, a number in that table.
    private let root: Int

    init(parsing bytes: [UInt8]) throws(MigrationError) {
        let list = try BinaryPropertyList(parsing: bytes)
        self.list = list
        let members = try Self.members(of: list.root, in: list)
        guard case .string("NSKeyedArchiver") = members["$archiver"], case .array(let table) = members["$objects"],
            let top = list.members(of: list.root)?["$top"]
        else {
            throw MigrationError(.unknownFormat, detail: "a property list, and no keyed archive")
        }
        // `NSKeyedArchiveRootObjectKey`
        guard case .reference(let root) = try Self.members(of: top, in: list)["root"] else {
            throw MigrationError(.damaged, detail: "the archive has no root")
        }
        self.table = table
        self.root = root
    }

    /// The object that everything else belongs to.
    func rootObject() throws(MigrationError) -> ArchivedObject { try self.object(self.root) }

    /// An object with a class and members.
    func object(_ place: Int) throws(MigrationError) -> ArchivedObject {
        guard self.table.indices.contains(place) else { throw Self.damage }
        let members = try Self.members(of: self.table[place], in: self.list)
        guard case .reference(let type) = members["$class"], self.table.indices.contains(type),
            case .string(let name) = try Self.members(of: self.table[type], in: self.list)["$classname"]
        else {
            throw Self.damage
        }
        return ArchivedObject(archive: self, className: name, members: members)
    }

    /// What stands at a place of the table; nil for null.
    func value(_ place: Int) throws(MigrationError) -> BinaryPropertyList.Object? {
        guard self.table.indices.contains(place) else { throw Self.damage }
        let value = self.list.objects[self.table[place]]
        // The first place is null's, whatever stands there as its name.
        return place == 0 || value == .string("$null") ? nil : value
    }

    static var damage: MigrationError { MigrationError(.damaged, detail: "no keyed archive") }

    private static func members(
        of number: Int,
        in list: BinaryPropertyList
    ) throws(MigrationError) -> [String: BinaryPropertyList.Object] {
        guard let members = list.members(of: number) else { throw Self.damage }
        return members.mapValues { list.objects[$0] }
    }
}

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
        guard let object = try self.object(key, of: "NSURL") else { return nil }
        let base = try object.place("NS.base").flatMap { place throws(MigrationError) in try self.archive.value(place) }
        guard base == nil, let text = try object.text("NS.relative") else {
            throw self.wrong(key, "an absolute URL")
        }
        return text
    }

    /// An object of a class.
    func object(_ key: String, of className: String) throws(MigrationError) -> ArchivedObject? {
        guard let place = try self.place(key), try self.archive.value(place) != nil else { return nil }
        let object = try self.archive.object(place)
        guard object.plainClassName == className else { throw self.wrong(key, className) }
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
