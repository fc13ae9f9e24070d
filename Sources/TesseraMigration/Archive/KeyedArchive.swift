// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
            let top = try Self.number(of: "$top", list.root, in: list)
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
        guard case .dictionary(let keys, let values) = list.objects[number] else { throw Self.damage }
        var members: [String: BinaryPropertyList.Object] = [:]
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = list.objects[key], members[name] == nil else { throw Self.damage }
            members[name] = list.objects[value]
        }
        return members
    }

    /// The number of a dictionary's member.
    private static func number(of name: String, _ number: Int, in list: BinaryPropertyList) throws(MigrationError)
        -> Int?
    {
        guard case .dictionary(let keys, let values) = list.objects[number] else { throw Self.damage }
        return zip(keys, values).first { list.objects[$0.0] == .string(name) }?.1
    }
}
