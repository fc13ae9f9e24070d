// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

extension SessionRecord {
    /// A record for tests: every field has a value, and those that hold secrets hold made-up ones.
    ///
    /// - Parameters:
    ///   - account: whose record it is.
    ///   - generation: the number of its token set.
    ///   - size: about how many bytes it takes when it is encoded; never less than a small record's.
    public static func sample(for account: Account, generation: Int64 = 1, size: Int = 2048) -> SessionRecord {
        SessionRecord(account: account, generation: generation, blob: .init(repeating: 0x61, count: size))
    }
}
