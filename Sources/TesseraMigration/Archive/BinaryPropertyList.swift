// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A binary property list, taken apart: objects that name each other by their number.
///
/// Nothing is built of them, so that one which holds itself is like any other. Whatever counts, widths and places say,
/// no more is kept than the bytes hold: each byte is read once.
///
/// It may hold tokens, and shows nothing of what it holds.
package struct BinaryPropertyList: Sendable {
    /// One object.
    package enum Object: Sendable, Hashable {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        /// Seconds since the beginning of 2001.
        case date(Double)
        case data([UInt8])
        case string(String)
        /// What a keyed archive calls an object of its own by: a number in its table.
        case reference(Int)
        /// Numbers of objects.
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    /// The objects, by their number.
    package let objects: [Object]
    /// The number of the outermost one.
    package let root: Int

    /// Whether the bytes begin as such a list does.
    package static func isRecognized(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }

    /// Takes a list apart.
    ///
    /// - Throws: ``MigrationError`` `damaged` with the byte where it shows; also for the kinds of objects that no keyed
    ///   archive has, such as sets.
    package init(parsing bytes: [UInt8]) throws(MigrationError) {
        var reader = try BinaryPropertyListReader(bytes)
        self.objects = try reader.objects()
        self.root = reader.root
    }

    /// The numbers of a dictionary's members, or nil for another object and for keys that are not distinct strings.
    package func members(of number: Int) -> [String: Int]? {
        guard case .dictionary(let keys, let values) = self.objects[number] else { return nil }
        var members: [String: Int] = [:]
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = self.objects[key], members.updateValue(value, forKey: name) == nil else {
                return nil
            }
        }
        return members
    }
}

extension BinaryPropertyList: CustomStringConvertible, CustomReflectable {
    package var description: String { "property list with \(self.objects.count) objects" }
    package var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
