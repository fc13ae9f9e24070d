// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// The kinds of objects in a binary property list, looked at before Foundation reads them.
///
/// The format has kinds that no archive uses, such as sets; Foundation for Linux ends the process over them.
enum BinaryPropertyList {
    /// Upper halves of the bytes with which objects begin: constants, integers, reals, dates, data, texts (two kinds),
    /// references, arrays and dictionaries.
    private static let kinds: Set<UInt8> = [0x0, 0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x8, 0xA, 0xD]

    /// Whether each object is of a kind that archives have; true for what is no binary property list.
    static func hasKnownKinds(_ data: Data) -> Bool {
        let bytes = Array(data)
        guard bytes.starts(with: "bplist".utf8) else { return true }
        // The last 32 bytes say where the objects are: the width of a place, their number, and the table of their places.
        guard bytes.count >= 40 else { return false }
        let trailer = bytes.count - 32
        let width = Int(bytes[trailer + 6])
        guard (1...8).contains(width), let count = Self.number(bytes[(trailer + 8)..<(trailer + 16)]),
            let table = Self.number(bytes[(trailer + 24)...]), table <= trailer, count <= (trailer - table) / width
        else {
            return false
        }
        return (0..<count)
            .allSatisfy { index in
                let start = table + index * width
                guard let place = Self.number(bytes[start..<(start + width)]), place < table else { return false }
                return Self.kinds.contains(bytes[place] >> 4)
            }
    }

    /// A number in big-endian order; nil for one that is no `Int`.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
