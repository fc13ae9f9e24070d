// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Integers as bytes, most significant first.
package enum BigEndian {
    package static func bytes<Integer: FixedWidthInteger>(of value: Integer) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
