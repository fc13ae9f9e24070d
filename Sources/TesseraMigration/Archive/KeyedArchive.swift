// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The object table of an archive written by `NSKeyedArchiver`.
///
/// Classes are not looked up or instantiated.
struct KeyedArchive: Sendable {
    private let list: BinaryPropertyList
    /// The archive's object table, which contains the indexes of objects in the property list.
    private let table: [Int]
    /// The index of the root object in the table.
    private let root: Int

    init(parsing bytes: [UInt8]) throws(MigrationError) {
        let list = try BinaryPropertyList(parsing: bytes)
        self.list = list
        let members = try Self.members(of: list.root, in: list)
        guard case .string("NSKeyedArchiver") = members["$archiver"], case .array(let table) = members["$objects"],
            let top = list.members(of: list.root)?["$top"]
        else {
            throw MigrationError(.unknownFormat, detail: "it is a property list, but not a keyed archive")
        }
        // `NSKeyedArchiveRootObjectKey`
        guard case .reference(let root) = try Self.members(of: top, in: list)["root"] else {
            throw MigrationError(.damaged, detail: "the archive has no root")
        }
        self.table = table
        self.root = root
    }

    /// Returns the archive's root object.
    func rootObject() throws(MigrationError) -> ArchivedObject { try self.object(self.root) }

    /// Returns the object at an index in the table, which must have a class.
    func object(_ location: Int) throws(MigrationError) -> ArchivedObject {
        guard self.table.indices.contains(location) else { throw Self.damage }
        let members = try Self.members(of: self.table[location], in: self.list)
        guard case .reference(let type) = members["$class"], self.table.indices.contains(type),
            case .string(let name) = try Self.members(of: self.table[type], in: self.list)["$classname"]
        else {
            throw Self.damage
        }
        return ArchivedObject(archive: self, className: name, members: members)
    }

    /// Returns the value at an index in the table, or nil for null.
    func value(_ location: Int) throws(MigrationError) -> BinaryPropertyList.Object? {
        guard self.table.indices.contains(location) else { throw Self.damage }
        let value = self.list.objects[self.table[location]]
        // The first entry in the table always represents null.
        return location == 0 || value == .string("$null") ? nil : value
    }

    static var damage: MigrationError { MigrationError(.damaged, detail: "it is not a valid keyed archive") }

    private static func members(
        of number: Int,
        in list: BinaryPropertyList
    ) throws(MigrationError) -> [String: BinaryPropertyList.Object] {
        guard let members = list.members(of: number) else { throw Self.damage }
        return members.mapValues { list.objects[$0] }
    }
}

/// An object in a keyed archive, with its class name and its members.
///
/// The methods return nil if a key is missing or null, and throw if its value has another type.
struct ArchivedObject: Sendable {
    let archive: KeyedArchive
    let className: String
    let members: [String: BinaryPropertyList.Object]

    /// The class name without a Swift module prefix.
    var plainClassName: String { self.className.split(separator: ".").last.map(String.init) ?? self.className }

    /// Returns the string for a key.
    func text(_ key: String) throws(MigrationError) -> String? {
        guard let location = try self.location(key), let value = try self.archive.value(location) else { return nil }
        if case .string(let text) = value { return text }
        // A mutable string is an object that contains its text as a string or as UTF-8 data.
        let object = try self.archive.object(location)
        guard ["NSString", "NSMutableString"].contains(object.className) else { throw self.wrong(key, "a string") }
        switch (object.members["NS.string"], object.members["NS.bytes"]) {
        case (.string(let text), nil): return text
        case (nil, .data(let bytes)):
            guard let text = String(wellFormedUTF8: bytes) else { throw self.wrong(key, "a string") }
            return text
        default: throw self.wrong(key, "a string")
        }
    }

    /// Returns the unmodified text of the absolute URL stored for a key.
    func url(_ key: String) throws(MigrationError) -> String? {
        guard let object = try self.object(key, of: "NSURL") else { return nil }
        let base = try object.location("NS.base")
            .flatMap { location throws(MigrationError) in try self.archive.value(location) }
        guard base == nil, let text = try object.text("NS.relative") else {
            throw self.wrong(key, "an absolute URL")
        }
        return text
    }

    /// Returns the object of the given class for a key.
    func object(_ key: String, of className: String) throws(MigrationError) -> ArchivedObject? {
        guard let location = try self.location(key), try self.archive.value(location) != nil else { return nil }
        let object = try self.archive.object(location)
        guard object.plainClassName == className else { throw self.wrong(key, className) }
        return object
    }

    /// Returns the index of a member in the archive's table.
    private func location(_ key: String) throws(MigrationError) -> Int? {
        switch self.members[key] {
        case nil: return nil
        case .reference(let location): return location
        default: throw self.wrong(key, "an object")
        }
    }

    private func wrong(_ key: String, _ expected: String) -> MigrationError {
        MigrationError(.damaged, detail: "expected \(key) of \(self.plainClassName.prefix(80)) to be \(expected)")
    }
}
