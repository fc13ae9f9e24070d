// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing

/// An archive as an editable property list, used to inspect and damage it.
struct ArchivePlist {
    /// The list in XML, with references written as `CF$UID`.
    var xml: String

    init(_ data: Data) throws {
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        let xml = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        self.xml = String(decoding: xml, as: UTF8.self)
    }

    /// The archive in binary form.
    var data: Data {
        get throws {
            let list = try PropertyListSerialization.propertyList(from: Data(self.xml.utf8), options: [], format: nil)
            return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        }
    }

    /// Returns the names of the classes in the archive.
    func classNames() throws -> Set<String> {
        Set(try self.objects().compactMap { ($0 as? [String: Any])?["$classname"] as? String })
    }

    /// Returns the keys of the first object of a class.
    func keys(of name: String) throws -> Set<String> {
        let objects = try self.objects()
        for case let object as [String: Any] in objects {
            guard let location = (object["$class"] as? [String: Any])?["place"] as? Int,
                (objects[location] as? [String: Any])?["$classname"] as? String == name
            else {
                continue
            }
            return Set(object.keys).subtracting(["$class"])
        }
        return []
    }

    /// Adds objects to the archive's table.
    ///
    /// `make` gets the location of the first new object.
    mutating func add(_ make: (_ location: Int) -> [String]) throws {
        let objects = make(try self.objects().count).joined()
        let end = try #require(self.xml.firstRange(of: /<\/array>\s*<key>\$top<\/key>/))
        self.xml.insert(contentsOf: objects, at: end.lowerBound)
    }

    /// Returns a reference to the object at `location`.
    static func reference(_ location: Int) -> String { "<dict><key>CF$UID</key><integer>\(location)</integer></dict>" }

    /// Returns an object that describes a class.
    static func type(_ name: String) -> String {
        "<dict><key>$classname</key><string>\(name)</string><key>$classes</key><array><string>\(name)</string></array></dict>"
    }

    /// Returns an array of the objects at `places`.
    static func array(_ places: [Int], type: Int) -> String {
        let elements = places.map { Self.reference($0) }.joined()
        return """
            <dict><key>NS.objects</key><array>\(elements)</array><key>$class</key>\(Self.reference(type))</dict>
            """
    }

    /// Returns a dictionary with one member.
    static func dictionary(_ key: Int, _ value: Int, type: Int) -> String {
        """
        <dict><key>NS.keys</key><array>\(Self.reference(key))</array><key>NS.objects</key>\
        <array>\(Self.reference(value))</array><key>$class</key>\(Self.reference(type))</dict>
        """
    }

    private func objects() throws -> [Any] {
        let plain = Data(self.xml.replacing("<key>CF$UID</key>", with: "<key>place</key>").utf8)
        let list = try PropertyListSerialization.propertyList(from: plain, options: [], format: nil)
        return try #require((list as? [String: Any])?["$objects"] as? [Any])
    }
}
