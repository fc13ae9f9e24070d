// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera

extension EncryptedFileStore {
    /// Every account with its record, or why that cannot be read, in the order of ``list()``; nil where somebody has to
    /// be asked for the key.
    ///
    /// Blocks while the disk does: for the main thread of a program that has nothing else to do, never for a task.
    package func recordsAtOnce()
        throws(StoreError) -> [(account: Account, record: Result<SessionRecord, StoreError>)]?
    {
        if case .asked = self.directory.keySource { return nil }
        var records: [(Account, Result<SessionRecord, StoreError>)] = []
        for account in try self.directory.accounts() {
            do throws(StoreError) {
                guard let record = try self.directory.read(AccountKey(account)) else { continue }
                records.append((account, .success(record)))
            } catch {
                records.append((account, .failure(error)))
            }
        }
        return records
    }
}
