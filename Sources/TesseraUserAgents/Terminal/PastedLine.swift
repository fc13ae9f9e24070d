// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Builds a line from typed bytes, with the little editing that a terminal out of line mode no longer does itself.
struct PastedLine {
    /// Longer lines are given up: no redirect is that long.
    static let limit = 1 << 16

    private var bytes: [UInt8] = []
    private var isTooLong = false

    /// The line, when the byte ends it; a line that was too long is empty.
    mutating func take(_ byte: UInt8) -> String? {
        switch byte {
        case 0x0A, 0x0D:
            defer { self = PastedLine() }
            return self.isTooLong ? "" : String(decoding: self.bytes, as: UTF8.self)
        case 0x08, 0x7F:
            // The rest of a character of several bytes, then its first.
            while let last = self.bytes.popLast(), last & 0xC0 == 0x80 {}
        case 0x15:
            self.bytes = []
        case 0x00...0x1F:
            break
        default:
            if self.bytes.count < Self.limit { self.bytes.append(byte) } else { self.isTooLong = true }
        }
        return nil
    }
}
