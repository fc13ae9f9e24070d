// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The objects in a binary property list, which refer to each other by index.
///
/// The object graph is not built, so a list with cycles is harmless. Each byte is read at most once, so memory use is
/// bounded by the size of the input regardless of the lengths and offsets in it.
///
/// The description does not show any contents, because they may include tokens.
package struct BinaryPropertyList: Sendable {
    /// An object in the list.
    package enum Object: Sendable, Hashable {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        /// The number of seconds since January 1, 2001.
        case date(Double)
        case data([UInt8])
        case string(String)
        /// The index of an object in a keyed archive's table.
        case reference(Int)
        /// The indexes of the elements.
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    /// All objects in the list.
    package let objects: [Object]
    /// The index of the root object.
    package let root: Int

    /// Returns whether the bytes begin with the signature of a binary property list.
    package static func isRecognized(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }

    /// Parses a binary property list.
    ///
    /// - Throws: ``MigrationError`` with the code `damaged` and the byte offset of the error. Kinds of objects that do
    ///   not occur in keyed archives, such as sets, are also errors.
    package init(parsing bytes: [UInt8]) throws(MigrationError) {
        var reader = try BinaryPropertyListReader(bytes)
        self.objects = try reader.objects()
        self.root = reader.root
    }

    /// Returns the indexes of a dictionary's members.
    ///
    /// Returns nil if the object is not a dictionary or its keys are not distinct strings.
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

/// A reader for the objects in a binary property list.
///
/// The format consists of `bplist` and a version, the objects (each with a byte for its kind and length), a table of
/// object offsets, and a 32-byte trailer with the location of the table and the widths of its entries.
///
/// - SeeAlso: `CFBinaryPList.c` in [swift-corelibs-foundation](https://github.com/swiftlang/swift-corelibs-foundation)
struct BinaryPropertyListReader {
    typealias Object = BinaryPropertyList.Object

    /// The maximum length of a list in bytes, which is larger than any session.
    static let maximumLength = 1 << 22

    let root: Int
    private let bytes: [UInt8]
    private let count: Int
    /// The position of the offset table, which is also the end of the objects.
    private let table: Int
    private let placeWidth: Int
    private let numberWidth: Int
    /// The number of bytes that have not been used by any object yet.
    private var unread: Int

    init(_ bytes: [UInt8]) throws(MigrationError) {
        // The minimum is an 8-byte header, one object, one offset, and the 32-byte trailer.
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
            guard let location = Self.number(self.bytes[entry..<(entry + self.placeWidth)]),
                (8..<self.table).contains(location)
            else {
                throw Self.damage(entry)
            }
            objects.append(try self.object(at: location))
        }
        return objects
    }

    private mutating func object(at start: Int) throws(MigrationError) -> Object {
        var location = start
        let marker = try self.take(1, &location)[start]
        let (kind, low) = (marker >> 4, Int(marker & 0x0F))
        switch (kind, low) {
        case (0x0, 0x0): return .null
        case (0x0, 0x8): return .bool(false)
        case (0x0, 0x9): return .bool(true)
        case (0x1, 0...4):
            guard let integer = Self.integer(try self.take(1 << low, &location)) else { throw Self.damage(start) }
            return .integer(integer)
        case (0x2, 2):
            let bits = UInt32(truncatingIfNeeded: Self.bits(try self.take(4, &location)))
            return .real(Double(Float(bitPattern: bits)))
        case (0x2, 3): return .real(Double(bitPattern: Self.bits(try self.take(8, &location))))
        case (0x3, 3): return .date(Double(bitPattern: Self.bits(try self.take(8, &location))))
        case (0x8, 0...7):
            guard let number = Self.number(try self.take(low + 1, &location)) else { throw Self.damage(start) }
            return .reference(number)
        default: break
        }
        let count = low < 15 ? low : try self.count(&location)
        switch kind {
        case 0x4: return .data(Array(try self.take(count, &location)))
        case 0x5:
            let text = try self.take(count, &location)
            guard text.allSatisfy({ $0 < 0x80 }) else { throw Self.damage(start) }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x6:
            let text = try self.take(count, of: 2, &location)
            let units = stride(from: text.startIndex, to: text.endIndex, by: 2)
                .map { UInt16(text[$0]) << 8 | UInt16(text[$0 + 1]) }
            guard let string = String(wellFormedUTF16: units) else { throw Self.damage(start) }
            return .string(string)
        case 0xA: return .array(try self.numbers(count, &location))
        case 0xD:
            return .dictionary(keys: try self.numbers(count, &location), values: try self.numbers(count, &location))
        default: throw Self.damage(start)
        }
    }

    /// Reads a length of 15 or more, which is encoded as a separate integer.
    private mutating func count(_ location: inout Int) throws(MigrationError) -> Int {
        let start = location
        let marker = try self.take(1, &location)[start]
        guard marker >> 4 == 0x1, marker & 0x0F <= 3,
            let count = Self.number(try self.take(1 << Int(marker & 0x0F), &location))
        else {
            throw Self.damage(start)
        }
        return count
    }

    private mutating func numbers(_ count: Int, _ location: inout Int) throws(MigrationError) -> [Int] {
        let width = self.numberWidth
        let bytes = try self.take(count, of: width, &location)
        var numbers: [Int] = []
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: width) {
            guard let number = Self.number(bytes[start..<(start + width)]), number < self.count else {
                throw Self.damage(start)
            }
            numbers.append(number)
        }
        return numbers
    }

    /// Returns the next bytes, and throws an error if the objects would use more bytes than there are.
    private mutating func take(
        _ count: Int,
        of width: Int = 1,
        _ location: inout Int
    ) throws(MigrationError) -> ArraySlice<UInt8> {
        guard count <= (self.table - location) / width, count * width <= self.unread else {
            throw Self.damage(location)
        }
        self.unread -= count * width
        defer { location += count * width }
        return self.bytes[location..<(location + count * width)]
    }

    private static func damage(_ location: Int) -> MigrationError {
        MigrationError(.damaged, detail: "it is not a valid binary property list (error at byte \(location))")
    }
}

extension BinaryPropertyListReader {
    /// Returns a big-endian number, or nil if it does not fit in an `Int`.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? { Int(exactly: Self.bits(bytes)) }

    /// Returns the value of up to 8 big-endian bytes.
    private static func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }

    /// Returns the value of a 1-, 2-, 4-, 8- or 16-byte integer.
    ///
    /// Integers of 1, 2 and 4 bytes are unsigned. The first 8 bytes of a 16-byte integer must be zero.
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
