// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraMigration

/// The contents of an archive, checked before any object is made of it.
///
/// Foundation for Linux ends the process over an archive that names a class which is not allowed, over a dictionary with
/// more keys than values, and over an object that holds itself or is nested too deeply. A damaged archive has to be an
/// error. Every platform reads the archive with the same reader, which does not depend on Foundation.
struct ArchiveGraph {
    /// Deeper than any object of this module is nested.
    private static let maximumDepth = 400
    /// More than any archive of this module contains, where an object counts as often as something refers to it.
    ///
    /// A reader that makes a value of each could not end for an archive of 2 KB.
    private static let maximumCount = 1 << 18

    private let list: BinaryPropertyList
    /// The archive's own table: numbers of the list's objects.
    private let table: [Int]
    private let root: Int

    init(_ data: Data) throws {
        let bytes = Array(data)
        guard BinaryPropertyList.isRecognized(bytes) else { throw Self.notBinary }
        // The format has kinds of objects that no archive has, such as sets: Foundation for Linux ends the process over them.
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

    /// Checks everything that the root leads to.
    ///
    /// - Throws: `coderReadCorrupt`.
    func check(classNames: Set<String>) throws {
        var seen: [Visit: Extent] = [:]
        _ = try self.check(self.root, classNames, isPlain: false, depth: 0, seen: &seen)
    }

    /// An object that was checked, and whether only what JSON has was allowed in it.
    private struct Visit: Hashable {
        let number: Int
        let isPlain: Bool
    }

    /// What an object comes to when everything that it refers to is written out.
    private struct Extent {
        var depth = 1
        var count = 1

        mutating func add(_ part: Extent) {
            self.depth = max(self.depth, part.depth + 1)
            self.count += part.count
        }
    }

    /// The classes that a dictionary may contain: with anything else there may be fewer values than keys.
    private static let plainNames: Set<String> = [
        "NSString", "NSMutableString", "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSNull",
    ]

    private static var damage: CocoaError { CocoaError(.coderReadCorrupt) }

    private static var notBinary: CocoaError {
        CocoaError(
            .coderReadCorrupt,
            userInfo: [
                NSLocalizedFailureReasonErrorKey: "The data is not a binary archive.",
                NSLocalizedRecoverySuggestionErrorKey: "Convert an archive that is XML with plutil -convert binary1.",
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
        // An object that holds itself is deeper than any depth.
        guard depth < Self.maximumDepth else { throw Self.damage }
        // An object is noted when it is done: one that is still open is found again by the depth.
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
        // The reader comes to an object in another order: what was checked near the root may be far from it, too.
        guard depth + extent.depth <= Self.maximumDepth else { throw Self.damage }
        return extent
    }

    /// What an object refers to, and whether only what JSON has is allowed there.
    private func parts(of number: Int, _ names: Set<String>, isPlain: Bool) throws -> ([Int], isPlain: Bool) {
        switch self.list.objects[number] {
        case .array(let elements): return (elements, isPlain)
        case .reference(let place):
            guard self.table.indices.contains(place) else { throw Self.damage }
            return ([self.table[place]], isPlain)
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

/// What an object is, by its number in the list; nil where it is something else.
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

    /// The number of the object that a reference leads to.
    private func target(_ number: Int) -> Int? {
        guard case .reference(let place) = self.list.objects[number], self.table.indices.contains(place) else {
            return nil
        }
        return self.table[place]
    }

    /// The text that a reference leads to.
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
