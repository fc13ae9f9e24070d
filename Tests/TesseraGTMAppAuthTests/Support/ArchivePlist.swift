// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing

/// An archive as the property list that it is, to be looked at and to be damaged.
struct ArchivePlist {
    /// A text of the list; references are written out as `CF$UID`.
    var xml: String

    init(_ data: Data) throws {
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        let xml = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        self.xml = String(decoding: xml, as: UTF8.self)
    }

    /// The archive again.
    var data: Data {
        get throws {
            let list = try PropertyListSerialization.propertyList(from: Data(self.xml.utf8), options: [], format: nil)
            return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        }
    }

    /// The names of the classes in the archive.
    func classNames() throws -> Set<String> {
        Set(try self.objects().compactMap { ($0 as? [String: Any])?["$classname"] as? String })
    }

    /// The keys of the object of a class.
    func keys(of name: String) throws -> Set<String> {
        let objects = try self.objects()
        for case let object as [String: Any] in objects {
            guard let place = (object["$class"] as? [String: Any])?["place"] as? Int,
                (objects[place] as? [String: Any])?["$classname"] as? String == name
            else {
                continue
            }
            return Set(object.keys).subtracting(["$class"])
        }
        return []
    }

    private func objects() throws -> [Any] {
        let plain = Data(self.xml.replacing("<key>CF$UID</key>", with: "<key>place</key>").utf8)
        let list = try PropertyListSerialization.propertyList(from: plain, options: [], format: nil)
        return try #require((list as? [String: Any])?["$objects"] as? [Any])
    }
}
