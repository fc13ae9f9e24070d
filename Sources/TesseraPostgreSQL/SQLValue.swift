// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

#if PostgreSQL
/// A parameter or a field, in PostgreSQL's binary format.
struct SQLValue: Sendable {
    /// Nil for NULL.
    let bytes: [UInt8]?

    init(_ bytes: [UInt8]?) { self.bytes = bytes }
    init(_ text: String) { self.bytes = Array(text.utf8) }
    init(_ number: Int64?) { self.bytes = number.map { Self.bigEndian($0) } }
    init(_ number: Double?) { self.bytes = number.map { Self.bigEndian($0.bitPattern) } }

    var text: String? { self.bytes.flatMap { String(wellFormedUTF8: $0) } }
    var isTrue: Bool { self.bytes == [1] }
    var integer: Int64? {
        guard let bytes, bytes.count == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
    var double: Double? { self.integer.map { Double(bitPattern: UInt64(bitPattern: $0)) } }

    private static func bigEndian<Integer: FixedWidthInteger>(_ number: Integer) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
#endif
