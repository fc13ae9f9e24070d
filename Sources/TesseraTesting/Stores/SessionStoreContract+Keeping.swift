// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

extension SessionStoreContract {
    /// What a store keeps.
    static let keeping: [SessionStoreContract] = [
        Self("An empty store has no record and lists nobody") { store in
            try ContractError.require(await store.load(Self.ada) == nil, "An empty store returned a record")
            try ContractError.require(await store.list().isEmpty, "An empty store listed an account")
            let inside = try await store.update(Self.ada) { try await $0.load() }
            try ContractError.require(inside == nil, "An empty store returned a record inside an update")
            try ContractError.require(await store.list().isEmpty, "An update that saved nothing left an account behind")
        },
        Self("A saved record is read back as it was, and a later one replaces it") { store in
            for generation in [Int64(1), 2, 1 << 53] {
                let record = try SessionRecord.sample(for: Self.ada, generation: generation)
                let inside = try await store.update(Self.ada) { entry in
                    try await entry.save(record)
                    return try await entry.load()
                }
                try ContractError.require(
                    inside == record,
                    "Inside the update, generation \(generation) came back changed"
                )
                try ContractError.require(
                    await store.load(Self.ada) == record,
                    "Generation \(generation) came back changed"
                )
            }
            try ContractError.require(
                await store.list() == [Self.ada],
                "One account was saved three times and is not listed once"
            )
        },
        Self("Accounts of several people, clients and issuers are kept apart and listed in order") { store in
            let accounts = ["https://a.example", "https://b.example"]
                .flatMap { issuer in
                    ["client-1", "client-2"]
                        .flatMap { client in
                            ["ada", "bob"].map { Account(issuer: issuer, clientID: client, subject: $0) }
                        }
                }
            for (index, account) in accounts.enumerated().reversed() {
                try await Self.save(try .sample(for: account, generation: Int64(index)), in: store)
            }
            try ContractError.require(
                await store.list() == accounts,
                "The accounts are not listed by issuer, client and subject"
            )
            try ContractError.require(await store.list() == store.list(), "Two lists differ in their order")
            for (index, account) in accounts.enumerated() {
                let generation = try await store.load(account)?.generation
                try ContractError.require(generation == Int64(index), "\(account) has another account's record")
            }
        },
        Self("A removed record is gone, removing it again is no error, and the others stay") { store in
            try await Self.save(try .sample(for: Self.ada), in: store)
            try await Self.save(try .sample(for: Self.bob), in: store)
            try await store.remove(Self.ada)
            try await store.remove(Self.ada)
            try ContractError.require(await store.load(Self.ada) == nil, "A removed record was still there")
            try ContractError.require(await store.list() == [Self.bob], "After a removal the list is wrong")
            try await store.update(Self.bob) { try await $0.remove() }
            try ContractError.require(await store.list().isEmpty, "A record removed inside an update was still there")
            try await Self.save(try .sample(for: Self.ada, generation: 7), in: store)
            try ContractError.require(
                await store.load(Self.ada)?.generation == 7,
                "An account cannot come back after its removal"
            )
        },
        Self("Account identifiers of any kind are kept exactly") { store in
            let subjects = [
                "a/b", "../../../etc/passwd", ".", "..", "CON", "a\\b:c*d?e\"f<g>h|i", " spaces ", "%2e%2e%2f", "~",
                "$HOME",
                "'; DROP TABLE sessions; --", "é", "e\u{301}", "日本語", "👩‍💻", "case", "CASE", "-rf", "a,b=c",
                "\u{202E}abc",
                String(repeating: "x", count: 255), String(repeating: "語", count: 255),
            ]
            for (index, subject) in subjects.enumerated() {
                let account = Account(issuer: "https://h.example/ü?q=/", clientID: "c/\(subject)", subject: subject)
                try await Self.save(try .sample(for: account, generation: Int64(index)), in: store)
            }
            for (index, subject) in subjects.enumerated() {
                let account = Account(issuer: "https://h.example/ü?q=/", clientID: "c/\(subject)", subject: subject)
                let record = try await store.load(account)
                try ContractError.require(
                    record?.generation == Int64(index),
                    "The subject «\(subject)» has another one's record"
                )
                let kept = record.map { Array($0.account.subject.utf8) }
                try ContractError.require(
                    kept == Array(subject.utf8),
                    "The subject «\(subject)» came back with other bytes"
                )
            }
            try ContractError.require(
                await store.list().count == subjects.count,
                "The list does not hold every account once"
            )
        },
        Self("A record of 64 kB is kept") { store in
            for size in [65_536, 100, 65_536] {
                let record = try SessionRecord.sample(for: Self.ada, generation: Int64(size), size: size)
                try await store.update(Self.ada) { entry in
                    try await entry.mark(RefreshMark(begunAt: Date(timeIntervalSince1970: 1_000), generation: 0))
                    try await entry.save(record)
                }
                try ContractError.require(
                    await store.load(Self.ada) == record,
                    "A record of \(size) bytes came back changed"
                )
            }
        },
        Self("A mark shows in the record until it is taken back or a record is saved") { store in
            let record = try SessionRecord.sample(for: Self.ada, generation: 3)
            let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_000.25), generation: 3)
            var marked = record
            marked.refreshMark = mark
            try await Self.save(marked, in: store)
            try ContractError.require(
                await store.load(Self.ada) == record,
                "Saving a record with a mark in it did not clear the mark"
            )
            let inside = try await store.update(Self.ada) { [marked] entry in
                try await entry.mark(mark)
                return try await entry.load() == marked
            }
            try ContractError.require(inside, "Inside the update the mark does not show, or the record changed")
            try ContractError.require(await store.load(Self.ada) == marked, "The mark does not show after the update")
            let later = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_001), generation: 3)
            try await store.update(Self.ada) { try await $0.mark(later) }
            try ContractError.require(
                await store.load(Self.ada)?.refreshMark == later,
                "A second mark does not replace the first"
            )
            try await store.update(Self.ada) { try await $0.mark(nil) }
            try ContractError.require(await store.load(Self.ada) == record, "A mark that was taken back still shows")
            let next = try SessionRecord.sample(for: Self.ada, generation: 4)
            try await store.update(Self.ada) { entry in
                try await entry.mark(mark)
                try await entry.save(next)
            }
            try ContractError.require(await store.load(Self.ada) == next, "Saving a record did not clear its mark")
        },
        Self("A probe succeeds and changes nothing") { store in
            try await store.probe()
            try ContractError.require(await store.list().isEmpty, "A probe left an account behind")
            let record = try SessionRecord.sample(for: Self.ada)
            try await Self.save(record, in: store)
            try await store.probe()
            try ContractError.require(await store.list() == [Self.ada], "A probe changed the list")
            try ContractError.require(await store.load(Self.ada) == record, "A probe changed a record")
        },
    ]
}
