// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Bytes as lower-case hexadecimal text.
enum Hexadecimal {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
