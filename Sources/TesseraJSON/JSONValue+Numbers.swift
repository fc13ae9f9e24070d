// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension JSONValue {
    /// The number as an integer.
    ///
    /// `1.0` and `1e3` are integers, `1.5` is not.
    ///
    /// - Throws: ``JSONError`` with `wrongKind` when the value is no number or has a fractional part, and with
    ///   `numberOutOfRange` when it does not fit.
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Int.self) throws(JSONError) -> Integer {
        guard self.kind == .number else { throw JSONError(.wrongKind, offset: self.offset) }
        guard let small = self.smallInteger else { return try JSONNumberText.integer(self.bytes, as: type) }
        guard let integer = Integer(exactly: small) else { throw JSONError(.numberOutOfRange, offset: self.offset) }
        return integer
    }

    /// The nearest double, always finite; digits beyond its precision are rounded, tiny numbers to 0.
    ///
    /// - Throws: ``JSONError`` with `wrongKind` when the value is no number, and with `numberOutOfRange` when it is
    ///   too large, such as `1e400`.
    public func double() throws(JSONError) -> Double {
        guard self.kind == .number else { throw JSONError(.wrongKind, offset: self.offset) }
        if let small = self.smallInteger, small != 0 { return Double(small) }
        guard let double = Double(self.text), double.isFinite else {
            throw JSONError(.numberOutOfRange, offset: self.offset)
        }
        return double
    }

    /// The number where it is digits only and at most 15 of them: exact in every type, and read without a detour, as
    /// nearly all numbers are.
    private var smallInteger: Int64? {
        let entry = self.entry
        guard entry.flag, entry.range.count <= 15 else { return nil }
        var value: Int64 = 0
        for byte in self.bytes where byte != JSONCharacter.minus {
            value = value * 10 + Int64(byte - JSONCharacter.zero)
        }
        return self.bytes.first == JSONCharacter.minus ? -value : value
    }
}
