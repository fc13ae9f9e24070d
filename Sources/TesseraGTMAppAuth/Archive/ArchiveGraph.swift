// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraMigration

/// What an archive holds, looked through before any object is made of it.
///
/// Foundation for Linux ends the process over an archive that names a class which is not allowed, over a dictionary with
/// more keys than values, and over an object that holds itself. An archive that was damaged has to be an error.
struct ArchiveGraph {
    private static let reference = "$reference"
    /// Deeper than any object of this module is nested.
    private static let maximumDepth = 400

    private let objects: [Any]
    private let root: Any

    init(_ data: Data) throws {
        // The format has kinds of objects that no archive has, such as sets: Foundation for Linux ends the process over them.
        let bytes = Array(data)
        if BinaryPropertyList.isRecognized(bytes), (try? BinaryPropertyList(parsing: bytes)) == nil {
            throw Self.damage
        }
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        // References are of a type that cannot be named; as XML they are a dictionary with a key that can be exchanged.
        let xml = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        let text = String(decoding: xml, as: UTF8.self)
            .replacing("<key>CF$UID</key>", with: "<key>\(Self.reference)</key>")
        let plain = try PropertyListSerialization.propertyList(from: Data(text.utf8), options: [], format: nil)
        guard let archive = plain as? [String: Any], let objects = archive["$objects"] as? [Any],
            let top = archive["$top"] as? [String: Any], let root = top[NSKeyedArchiveRootObjectKey]
        else {
            throw Self.damage
        }
        self.objects = objects
        self.root = root
    }

    /// Looks through everything that the root leads to.
    ///
    /// - Throws: `coderReadCorrupt`.
    func check(classNames: Set<String>) throws {
        var seen: Set<Visit> = []
        try self.check(self.root, classNames, isPlain: false, depth: 0, seen: &seen)
    }

    /// An object that was looked through, and whether only what JSON has was let pass in it.
    private struct Visit: Hashable {
        let place: Int
        let isPlain: Bool
    }

    /// What may stand in a dictionary: of anything else there may come to be less values than keys.
    private static let plainNames: Set<String> = [
        "NSString", "NSMutableString", "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSNull",
    ]

    private static var damage: CocoaError { CocoaError(.coderReadCorrupt) }

    private func check(
        _ value: Any,
        _ names: Set<String>,
        isPlain: Bool,
        depth: Int,
        seen: inout Set<Visit>
    ) throws {
        // What holds itself is deeper than any depth.
        guard depth < Self.maximumDepth else { throw Self.damage }
        if let elements = value as? [Any] {
            for element in elements { try self.check(element, names, isPlain: isPlain, depth: depth + 1, seen: &seen) }
        } else if let place = Self.place(value) {
            guard self.objects.indices.contains(place) else { throw Self.damage }
            // Seen and done: whatever is still open is found again by the depth.
            guard !seen.contains(Visit(place: place, isPlain: isPlain)) else { return }
            try self.check(self.objects[place], names, isPlain: isPlain, depth: depth + 1, seen: &seen)
            seen.insert(Visit(place: place, isPlain: isPlain))
        } else if let members = value as? [String: Any] {
            try self.check(object: members, isPlain ? names.intersection(Self.plainNames) : names)
            let isPlain = isPlain || members["NS.keys"] != nil
            for member in members.values {
                try self.check(member, names, isPlain: isPlain, depth: depth + 1, seen: &seen)
            }
        }
    }

    private func check(object: [String: Any], _ names: Set<String>) throws {
        guard let place = object["$class"] else { return }
        guard let type = self.target(place) as? [String: Any], let name = type["$classname"] as? String,
            names.contains(name), type["$classhints"] == nil
        else {
            throw Self.damage
        }
        if object["NS.keys"] != nil {
            let keys = (object["NS.keys"] as? [Any])?.map { self.text($0) }
            let values = object["NS.objects"] as? [Any]
            guard let keys, let values, keys.count == values.count, !keys.contains(nil),
                Set(keys).count == keys.count, values.allSatisfy({ self.target($0) != nil && !self.isNull($0) })
            else {
                throw Self.damage
            }
        }
        switch name {
        case "NSDictionary", "NSMutableDictionary":
            guard object["NS.keys"] != nil else { throw Self.damage }
        case "NSArray", "NSMutableArray":
            guard let values = object["NS.objects"] as? [Any], values.allSatisfy({ self.target($0) != nil }) else {
                throw Self.damage
            }
        case "NSString", "NSMutableString":
            guard object["NS.string"] is String else { throw Self.damage }
        case "NSURL":
            guard self.text(object["NS.relative"]) != nil, self.isNull(object["NS.base"]) else { throw Self.damage }
        case "NSDate":
            guard object["NS.time"] is NSNumber else { throw Self.damage }
        case "NSError":
            guard self.text(object["NSDomain"]) != nil, self.isEmpty(object["NSUserInfo"]) else { throw Self.damage }
        default:
            break
        }
    }
}

extension ArchiveGraph {
    /// The number in a reference; nil for anything else.
    private static func place(_ value: Any?) -> Int? {
        guard let members = value as? [String: Any], members.count == 1 else { return nil }
        return (members[Self.reference] as? NSNumber)?.intValue
    }

    private func target(_ reference: Any?) -> Any? {
        guard let place = Self.place(reference), self.objects.indices.contains(place) else { return nil }
        return self.objects[place]
    }

    /// The text behind a reference.
    private func text(_ reference: Any?) -> String? {
        guard let text = self.target(reference) as? String, text != "$null" else { return nil }
        return text
    }

    private func isNull(_ reference: Any?) -> Bool {
        reference == nil || self.target(reference) as? String == "$null"
    }

    private func isEmpty(_ reference: Any?) -> Bool {
        self.isNull(reference)
            || ((self.target(reference) as? [String: Any])?["NS.keys"] as? [Any])?.isEmpty == true
    }
}
