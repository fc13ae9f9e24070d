// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraOAuth

/// What each archive may contain, which is compared with what its stores return.
///
/// The generations of an account's records increase in the order of their saves, because each one is chosen while its
/// process has the account's lock or lease.
struct ArchiveChecker: Sendable {
    /// The records that an account in an archive may have.
    struct Entry: Sendable {
        /// The newest generation that a process has tried to save.
        var newest: Int64 = 0
        /// The newest generation whose save succeeded.
        var saved: Int64 = 0
        /// All records up to this generation were removed.
        var removed: Int64 = 0
        /// A process has tried to remove records up to this generation.
        var removing: Int64 = 0
        /// The number of removals that have not ended.
        var removals = 0
        /// The newest generation when the record was damaged.
        var damaged: Int64 = -1

        var mayBeAbsent: Bool { self.removals > 0 || self.saved <= self.removing }
        /// A process may save a record without noticing.
        var mayBeDamaged: Bool { self.damaged >= self.saved }
    }

    private var entries: [String: [Account: Entry]] = [:]

    subscript(name: String, account: Account) -> Entry {
        get { self.entries[name]?[account] ?? Entry() }
        set { self.entries[name, default: [:]][account] = newValue }
    }

    /// Checks whether a call may have found a damaged record.
    ///
    /// - Parameters:
    ///   - name: The name of the archive.
    ///   - before: What was known when the call began. Since then, a record may have been damaged and replaced.
    /// - Returns: Whether a record of the archive was damaged at any time during the call.
    func mayBeDamaged(_ name: String, since before: ArchiveChecker) -> Bool {
        self.entries[name]?
            .contains { account, entry in
                let earlier = before[name, account]
                return [entry, earlier].contains { $0.damaged >= 0 && $0.mayBeDamaged }
                    || entry.damaged != earlier.damaged
            } == true
    }

    /// Checks a record that a store returned.
    ///
    /// - Parameters:
    ///   - record: The record, or nil if the store returned none.
    ///   - account: The account.
    ///   - name: The name of the archive.
    ///   - before: What was known when the call began.
    /// - Returns: What is wrong, or nil if nothing is.
    func problem(_ record: SessionRecord?, of account: Account, in name: String, since before: Entry) -> String? {
        let now = self[name, account]
        guard let record else {
            if before.mayBeAbsent || now.mayBeAbsent { return nil }
            return "\(name) has no record of \(account.name), although generation \(before.saved) was saved"
        }
        guard record.account == account, record.tokens == Self.tokens(of: account, record.generation) else {
            return "\(name) returned a wrong record of \(account.name)"
        }
        if record.generation > now.newest || record.generation < max(before.saved, before.removed + 1) {
            return "\(name) returned generation \(record.generation) of \(account.name) after \(before.saved) was saved"
        }
        if let mark = record.refreshMark, mark.generation > now.newest {
            return "\(name) returned a wrong mark of \(account.name)"
        }
        return nil
    }

    /// Returns what is wrong with a list of accounts, or nil if nothing is.
    func problem(_ accounts: [Account], in name: String, since before: ArchiveChecker) -> String? {
        if let unknown = accounts.first(where: { self[name, $0].newest == 0 }) {
            return "\(name) lists \(unknown.name), which was never saved"
        }
        let missing = before.entries[name]?
            .first { account, entry in
                let now = self[name, account]
                return !accounts.contains(account) && !entry.mayBeAbsent && !now.mayBeAbsent
                    && !(entry.damaged >= 0 && entry.mayBeDamaged) && !(now.damaged >= 0 && now.mayBeDamaged)
            }
        return missing.map { "\(name) does not list \($0.key.name)" }
    }

    /// The tokens in the record of a generation.
    static func tokens(of account: Account, _ generation: Int64) -> TokenSet {
        TokenSet(
            accessToken: Secret("access \(generation) of \(account.name)"),
            obtainedAt: Date(timeIntervalSince1970: 1_800_000_000),
            lifetime: 3_600,
            refreshToken: Secret("refresh \(generation) of \(account.name)"),
            idToken: nil
        )
    }
}
