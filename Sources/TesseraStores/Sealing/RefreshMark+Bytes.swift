// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
internal import TesseraSupport

extension RefreshMark {
    /// The mark in 16 bytes: the generation, then the time.
    package var bytes: [UInt8] {
        BigEndian.bytes(of: self.generation)
            + BigEndian.bytes(of: self.begunAt.timeIntervalSinceReferenceDate.bitPattern)
    }

    /// Reads ``bytes``; nil for anything else.
    package init?(bytes: [UInt8]) {
        var fields = ByteReader(bytes[...])
        guard let generation: Int64 = fields.integer(), let time: UInt64 = fields.integer(), fields.isAtEnd else {
            return nil
        }
        self.init(
            begunAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: time)),
            generation: generation
        )
    }
}
