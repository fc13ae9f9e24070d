// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

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

/// Reads the objects of a binary property list.
///
/// The format: `bplist` and a version; the objects, each with a byte that says its kind and length; the table of their
/// places; and 32 bytes that say where the table is and how wide its entries are.
///
/// - SeeAlso: `CFBinaryPList.c` in [swift-corelibs-foundation](https://github.com/swiftlang/swift-corelibs-foundation)
struct BinaryPropertyListReader {
    typealias Object = BinaryPropertyList.Object

    /// No session of anybody is longer.
    static let maximumLength = 1 << 22

    let root: Int
    private let bytes: [UInt8]
    private let count: Int
    /// Where the table of places begins, and the objects end.
    private let table: Int
    private let placeWidth: Int
    private let numberWidth: Int
    /// Bytes that no object has had yet.
    private var unread: Int

    init(_ bytes: [UInt8]) throws(MigrationError) {
        // Eight bytes at the beginning, an object, a place, and the last 32.
        guard BinaryPropertyList.isRecognized(bytes), bytes.count >= 42 else { throw Self.damage(0) }
        guard bytes.count <= Self.maximumLength else {
            throw MigrationError(.damaged, detail: "more than \(Self.maximumLength) bytes")
        }
        let trailer = bytes.count - 32
        self.bytes = bytes
        self.placeWidth = Int(bytes[trailer + 6])
        self.numberWidth = Int(bytes[trailer + 7])
        guard (1...8).contains(self.placeWidth), (1...8).contains(self.numberWidth),
            let count = Self.number(bytes[(trailer + 8)..<(trailer + 16)]),
            let root = Self.number(bytes[(trailer + 16)..<(trailer + 24)]),
            let table = Self.number(bytes[(trailer + 24)...]),
            (9...trailer).contains(table), count <= (trailer - table) / self.placeWidth, root < count
        else {
            throw Self.damage(trailer)
        }
        self.count = count
        self.root = root
        self.table = table
        self.unread = table
    }

    mutating func objects() throws(MigrationError) -> [Object] {
        var objects: [Object] = []
        objects.reserveCapacity(self.count)
        for index in 0..<self.count {
            let entry = self.table + index * self.placeWidth
            guard let place = Self.number(self.bytes[entry..<(entry + self.placeWidth)]),
                (8..<self.table).contains(place)
            else {
                throw Self.damage(entry)
            }
            objects.append(try self.object(at: place))
        }
        return objects
    }

    private mutating func object(at start: Int) throws(MigrationError) -> Object {
        var place = start
        let marker = try self.take(1, &place)[start]
        let (kind, low) = (marker >> 4, Int(marker & 0x0F))
        switch (kind, low) {
        case (0x0, 0x0): return .null
        case (0x0, 0x8): return .bool(false)
        case (0x0, 0x9): return .bool(true)
        case (0x1, 0...4):
            guard let integer = Self.integer(try self.take(1 << low, &place)) else { throw Self.damage(start) }
            return .integer(integer)
        case (0x2, 2):
            let bits = UInt32(truncatingIfNeeded: Self.bits(try self.take(4, &place)))
            return .real(Double(Float(bitPattern: bits)))
        case (0x2, 3): return .real(Double(bitPattern: Self.bits(try self.take(8, &place))))
        case (0x3, 3): return .date(Double(bitPattern: Self.bits(try self.take(8, &place))))
        case (0x8, 0...7):
            guard let number = Self.number(try self.take(low + 1, &place)) else { throw Self.damage(start) }
            return .reference(number)
        default: break
        }
        let count = low < 15 ? low : try self.count(&place)
        switch kind {
        case 0x4: return .data(Array(try self.take(count, &place)))
        case 0x5:
            let text = try self.take(count, &place)
            guard text.allSatisfy({ $0 < 0x80 }) else { throw Self.damage(start) }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x6:
            let text = try self.take(count, of: 2, &place)
            let units = stride(from: text.startIndex, to: text.endIndex, by: 2)
                .map { UInt16(text[$0]) << 8 | UInt16(text[$0 + 1]) }
            guard let string = String(wellFormedUTF16: units) else { throw Self.damage(start) }
            return .string(string)
        case 0xA: return .array(try self.numbers(count, &place))
        case 0xD: return .dictionary(keys: try self.numbers(count, &place), values: try self.numbers(count, &place))
        default: throw Self.damage(start)
        }
    }

    /// A length of 15 or more: an integer of its own.
    private mutating func count(_ place: inout Int) throws(MigrationError) -> Int {
        let start = place
        let marker = try self.take(1, &place)[start]
        guard marker >> 4 == 0x1, marker & 0x0F <= 3,
            let count = Self.number(try self.take(1 << Int(marker & 0x0F), &place))
        else {
            throw Self.damage(start)
        }
        return count
    }

    private mutating func numbers(_ count: Int, _ place: inout Int) throws(MigrationError) -> [Int] {
        let width = self.numberWidth
        let bytes = try self.take(count, of: width, &place)
        var numbers: [Int] = []
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: width) {
            guard let number = Self.number(bytes[start..<(start + width)]), number < self.count else {
                throw Self.damage(start)
            }
            numbers.append(number)
        }
        return numbers
    }

    /// The next bytes; those of all objects together are no more than there are.
    private mutating func take(
        _ count: Int,
        of width: Int = 1,
        _ place: inout Int
    ) throws(MigrationError) -> ArraySlice<UInt8> {
        guard count <= (self.table - place) / width, count * width <= self.unread else { throw Self.damage(place) }
        self.unread -= count * width
        defer { place += count * width }
        return self.bytes[place..<(place + count * width)]
    }

    private static func damage(_ place: Int) -> MigrationError {
        MigrationError(.damaged, detail: "no binary property list (at byte \(place))")
    }
}

extension BinaryPropertyListReader {
    /// A number in big-endian order; nil for one that is no `Int`.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? { Int(exactly: Self.bits(bytes)) }

    /// At most eight bytes in big-endian order.
    private static func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }

    /// One, two and four bytes have no sign; of sixteen the first eight say nothing.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64? {
        switch bytes.count {
        case 16:
            guard bytes.prefix(8).allSatisfy({ $0 == 0 }) else { return nil }
            return Int64(exactly: Self.bits(bytes.suffix(8)))
        case 8: return Int64(bitPattern: Self.bits(bytes))
        default: return Int64(exactly: Self.bits(bytes))
        }
    }
}
