// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import Tessera

extension SessionDirectory {
    private static let probeSize = 8192

    /// Goes all the way of a save with a file of a session's size: key, write, sync, rename, read back, remove.
    ///
    /// The caller holds the lock of `AccountKey.probe`, so what is left of a probe that was killed is nobody's.
    func probe() throws(StoreError) {
        _ = try self.keysForWriting()
        let pending = self.pendingPath(.probe)
        let moved = self.path + "/probe.moved"
        let bytes = SymmetricKey(size: .init(bitCount: Self.probeSize * 8)).withUnsafeBytes { Array($0) }
        do throws(StoreError) {
            let file = try self.openPending(.probe)
            try file.truncate(to: 0)
            try file.write(bytes, at: 0)
            try file.synchronize()
            try FileSystem.move(pending, to: moved)
            try FileSystem.synchronize(directory: self.path)
            guard try FileSystem.contents(of: moved, limit: Self.probeSize) == bytes else {
                throw StoreError(.notKept, place: self.path)
            }
            try FileSystem.remove(moved)
            try FileSystem.synchronize(directory: self.path)
        } catch {
            try? FileSystem.remove(pending)
            try? FileSystem.remove(moved)
            throw error
        }
    }
}
