// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraTesting

/// The parts of `Scripts/power-loss` that use a store: a process that changes sessions before the power loss, and one
/// that reads them afterward.
enum PowerLoss {
    /// Performs each change on standard input and prints `ok` when the store reports that it is complete.
    ///
    /// A change is `save SUBJECT GENERATION SIZE`, which removes the mark, `retain SUBJECT GENERATION SIZE`, which saves
    /// a record with its mark, `mark SUBJECT GENERATION`, `unmark SUBJECT` or `remove SUBJECT`.
    static func change(_ store: any SessionStore) async {
        say("ready")
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 2 else { return say("not a change: \(line)") }
            do {
                try await self.perform(words, in: store)
                say("ok")
            } catch {
                say("error: \(error)")
            }
        }
    }

    private static func perform(_ words: [String], in store: any SessionStore) async throws {
        let account = self.account(words[1])
        let generation = words.count > 2 ? Int64(words[2]) ?? 0 : 0
        switch words[0] {
        case "save", "retain":
            var record = try SessionRecord.sample(for: account, generation: generation, size: Int(words[3]) ?? 0)
            record.refreshMark = words[0] == "retain" ? self.mark(generation) : nil
            try await store.update(account) { [record] in try await $0.save(record) }
        case "mark": try await store.update(account) { try await $0.mark(self.mark(generation)) }
        case "unmark": try await store.update(account) { try await $0.mark(nil) }
        default: try await store.remove(account)
        }
    }

    /// Prints the state of each subject's session: as it is listed, loaded, loaded under the lock, and loaded after
    /// another refresh.
    static func report(_ store: any SessionStore, of subjects: [String]) async {
        await attempt("listed") {
            try await store.list().map { $0.subject }.sorted().joined(separator: " ")
        }
        for subject in subjects {
            let account = self.account(subject)
            await attempt("\(subject) loaded") { try self.text(of: try await store.load(account)) }
            await attempt("\(subject) locked") {
                try await store.update(account) { entry in try self.text(of: try await entry.load()) }
            }
            await attempt("\(subject) next") {
                let next = try await store.update(account) { entry in
                    let generation = (try await entry.load()?.generation ?? 0) + 1
                    try await entry.mark(self.mark(generation))
                    let record = try SessionRecord.sample(for: account, generation: generation)
                    try await entry.save(record)
                    return record
                }
                return try await store.load(account) == next ? "ok" : "lost"
            }
        }
    }

    private static func account(_ subject: String) -> Account {
        Account(issuer: "https://accounts.example", clientID: "client", subject: subject)
    }

    private static func mark(_ generation: Int64) -> RefreshMark {
        RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_000), generation: generation)
    }

    /// Returns the generation and size of a record and whether it has a mark, or `damaged` if it differs from every
    /// record that was saved.
    private static func text(of record: SessionRecord?) throws -> String {
        guard var record else { return "none" }
        let size = record.tokens?.idToken?.withUnredacted { $0.utf8.count } ?? 0
        var text = "\(record.generation) \(size)"
        if let mark = record.refreshMark {
            text += mark == self.mark(record.generation) ? " marked" : " damaged"
            record.refreshMark = nil
        }
        let whole = try SessionRecord.sample(for: record.account, generation: record.generation, size: size)
        return record == whole ? text : "damaged"
    }
}
