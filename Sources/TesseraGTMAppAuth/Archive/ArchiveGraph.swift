// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraMigration

/// Validates the contents of an archive before any object is decoded.
///
/// A damaged archive must cause an error, but Foundation on Linux crashes if an archive names a class that is not
/// allowed, contains a dictionary with more keys than values, or contains an object that refers to itself or is nested
/// too deeply. All platforms use the same reader, which does not depend on Foundation.
struct ArchiveGraph {
    /// The maximum nesting depth.
    ///
    /// This module's objects are nested less deeply.
    private static let maximumDepth = 400
    /// The maximum number of objects, counting an object once for each reference to it.
    ///
    /// Without this limit, decoding an archive of 2 KB could take forever.
    private static let maximumCount = 1 << 18

    private let list: BinaryPropertyList
    /// The archive's object table, as indices into the property list.
    private let table: [Int]
    private let root: Int

    init(_ data: Data) throws {
        let bytes = Array(data)
        guard BinaryPropertyList.isRecognized(bytes) else { throw Self.notBinary }
        // Foundation on Linux crashes on property list types that archives never contain, such as sets.
        guard let list = try? BinaryPropertyList(parsing: bytes),
            let archive = list.members(of: list.root),
            case .array(let table) = archive["$objects"].map({ list.objects[$0] }),
            let root = archive["$top"].flatMap({ list.members(of: $0) })?[NSKeyedArchiveRootObjectKey]
        else {
            throw Self.damage
        }
        self.list = list
        self.table = table
        self.root = root
    }

    /// Validates every object that can be reached from the root.
    ///
    /// - Throws: `CocoaError` with the code `coderReadCorrupt`.
    func check(classNames: Set<String>) throws {
        var seen: [Visit: Extent] = [:]
        _ = try self.check(self.root, classNames, isPlain: false, depth: 0, seen: &seen)
    }

    /// An object that has been validated, and whether it could contain only types that JSON supports.
    private struct Visit: Hashable {
        let number: Int
        let isPlain: Bool
    }

    /// The depth and number of objects below an object if every reference is expanded.
    private struct Extent {
        var depth = 1
        var count = 1

        mutating func add(_ part: Extent) {
            self.depth = max(self.depth, part.depth + 1)
            self.count += part.count
        }
    }

    /// The classes that a dictionary may contain.
    ///
    /// If other classes were allowed, decoding could produce fewer values than keys.
    private static let plainNames: Set<String> = [
        "NSString", "NSMutableString", "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSNull",
    ]

    private static var damage: CocoaError { CocoaError(.coderReadCorrupt) }

    private static var notBinary: CocoaError {
        CocoaError(
            .coderReadCorrupt,
            userInfo: [
                NSLocalizedFailureReasonErrorKey: "The data is not a binary archive.",
                NSLocalizedRecoverySuggestionErrorKey: "Convert an XML archive with 'plutil -convert binary1'.",
            ]
        )
    }

    private func check(
        _ number: Int,
        _ names: Set<String>,
        isPlain: Bool,
        depth: Int,
        seen: inout [Visit: Extent]
    ) throws -> Extent {
        // This also rejects an object that refers to itself.
        guard depth < Self.maximumDepth else { throw Self.damage }
        // An object is recorded after all of its parts, so a cycle reaches the depth limit.
        let visit = Visit(number: number, isPlain: isPlain)
        var extent = Extent()
        if let known = seen[visit] {
            extent = known
        } else {
            let (parts, isPlain) = try self.parts(of: number, names, isPlain: isPlain)
            for part in parts {
                extent.add(try self.check(part, names, isPlain: isPlain, depth: depth + 1, seen: &seen))
                guard extent.count <= Self.maximumCount else { throw Self.damage }
            }
            seen[visit] = extent
        }
        // An object that was first validated near the root can also be referenced from a greater depth.
        guard depth + extent.depth <= Self.maximumDepth else { throw Self.damage }
        return extent
    }

    /// Returns the objects to which an object refers, and whether they may contain only types that JSON supports.
    private func parts(of number: Int, _ names: Set<String>, isPlain: Bool) throws -> ([Int], isPlain: Bool) {
        switch self.list.objects[number] {
        case .array(let elements): return (elements, isPlain)
        case .reference(let location):
            guard self.table.indices.contains(location) else { throw Self.damage }
            return ([self.table[location]], isPlain)
        case .dictionary:
            guard let members = self.list.members(of: number) else { throw Self.damage }
            try self.check(object: members, isPlain ? names.intersection(Self.plainNames) : names)
            return (Array(members.values), isPlain || members["NS.keys"] != nil)
        default: return ([], isPlain)
        }
    }

    private func check(object: [String: Int], _ names: Set<String>) throws {
        guard let reference = object["$class"] else { return }
        guard let type = self.target(reference).flatMap({ self.list.members(of: $0) }),
            let name = type["$classname"].flatMap({ self.string($0) }), names.contains(name),
            type["$classhints"] == nil
        else {
            throw Self.damage
        }
        let values = self.elements(object["NS.objects"])
        if object["NS.keys"] != nil {
            let keys = self.elements(object["NS.keys"])?.map { self.text($0) }
            guard let keys, let values, keys.count == values.count, !keys.contains(nil),
                Set(keys).count == keys.count, values.allSatisfy({ self.target($0) != nil && !self.isNull($0) })
            else {
                throw Self.damage
            }
        }
        let isWhole =
            switch name {
            case "NSDictionary", "NSMutableDictionary": object["NS.keys"] != nil
            case "NSArray", "NSMutableArray": values?.allSatisfy { self.target($0) != nil } == true
            case "NSString", "NSMutableString": object["NS.string"].flatMap { self.string($0) } != nil
            case "NSURL": self.text(object["NS.relative"]) != nil && self.isNull(object["NS.base"])
            case "NSDate": object["NS.time"].map { self.isNumber($0) } == true
            case "NSError": self.text(object["NSDomain"]) != nil && self.isEmpty(object["NSUserInfo"])
            default: true
            }
        if !isWhole { throw Self.damage }
    }
}

/// Typed access to an object by its index in the property list.
///
/// Returns nil if the object is of a different type.
extension ArchiveGraph {
    private func elements(_ number: Int?) -> [Int]? {
        guard let number, case .array(let elements) = self.list.objects[number] else { return nil }
        return elements
    }

    private func string(_ number: Int) -> String? {
        guard case .string(let text) = self.list.objects[number] else { return nil }
        return text
    }

    private func isNumber(_ number: Int) -> Bool {
        switch self.list.objects[number] {
        case .real, .integer: true
        default: false
        }
    }

    /// Returns the index of the object that a reference points to.
    private func target(_ number: Int) -> Int? {
        guard case .reference(let location) = self.list.objects[number], self.table.indices.contains(location) else {
            return nil
        }
        return self.table[location]
    }

    /// Returns the string that a reference points to.
    private func text(_ number: Int?) -> String? {
        guard let text = number.flatMap({ self.target($0) }).flatMap({ self.string($0) }), text != "$null" else {
            return nil
        }
        return text
    }

    private func isNull(_ number: Int?) -> Bool {
        guard let number else { return true }
        return self.target(number).flatMap { self.string($0) } == "$null"
    }

    private func isEmpty(_ number: Int?) -> Bool {
        guard let number, !self.isNull(number) else { return true }
        let members = self.target(number).flatMap { self.list.members(of: $0) }
        return self.elements(members?["NS.keys"])?.isEmpty == true
    }
}
