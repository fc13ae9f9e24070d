// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto

/// The key of a file store.
///
/// It appears in no description, reflection or dump.
struct FileKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    static let length = 32

    let symmetric: SymmetricKey
    /// Eight bytes that tell keys apart and say nothing about them; they stand in every record.
    let id: [UInt8]

    init(_ bytes: [UInt8]) {
        self.symmetric = SymmetricKey(data: bytes)
        self.id = Array(SHA256.hash(data: Array("tessera file key id".utf8) + bytes).prefix(8))
    }

    var description: String { "<redacted>" }
    var debugDescription: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
