// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

extension SessionStoreContract {
    /// Requirements for saving, listing and removing records.
    static let saving: [SessionStoreContract] = [
        Self("Returns no record and no accounts from an empty store") { store in
            try ContractError.require(await store.load(Self.ada) == nil, "An empty store returned a record.")
            try ContractError.require(await store.list().isEmpty, "An empty store listed an account.")
            let inside = try await store.update(Self.ada) { try await $0.load() }
            try ContractError.require(inside == nil, "An empty store returned a record inside an update.")
            try ContractError.require(await store.list().isEmpty, "An update without a save added an account.")
        },
        Self("Returns a saved record unchanged and replaces it with a later one") { store in
            for generation in [Int64(1), 2, 1 << 53] {
                let record = try SessionRecord.sample(for: Self.ada, generation: generation)
                let inside = try await store.update(Self.ada) { entry in
                    try await entry.save(record)
                    return try await entry.load()
                }
                try ContractError.require(
                    inside == record,
                    "Generation \(generation) was changed inside the update."
                )
                try ContractError.require(
                    await store.load(Self.ada) == record,
                    "Generation \(generation) was changed."
                )
            }
            try ContractError.require(
                await store.list() == [Self.ada],
                "An account that was saved three times is not listed exactly once."
            )
        },
        Self("Separates accounts by subject, client and issuer and lists them in order") { store in
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
                "The accounts are not sorted by issuer, client and subject."
            )
            try ContractError.require(await store.list() == store.list(), "Two lists have different orders.")
            for (index, account) in accounts.enumerated() {
                let generation = try await store.load(account)?.generation
                try ContractError.require(generation == Int64(index), "\(account) has another account's record.")
            }
        },
        Self("Removes a record without affecting others, and ignores a repeated removal") { store in
            try await Self.save(try .sample(for: Self.ada), in: store)
            try await Self.save(try .sample(for: Self.bob), in: store)
            try await store.remove(Self.ada)
            try await store.remove(Self.ada)
            try ContractError.require(await store.load(Self.ada) == nil, "A removed record still exists.")
            try ContractError.require(await store.list() == [Self.bob], "The list is wrong after a removal.")
            try await store.update(Self.bob) { try await $0.remove() }
            try ContractError.require(
                await store.list().isEmpty,
                "A record that was removed inside an update still exists."
            )
            try await Self.save(try .sample(for: Self.ada, generation: 7), in: store)
            try ContractError.require(
                await store.load(Self.ada)?.generation == 7,
                "An account could not be saved again after its removal."
            )
        },
        Self("Preserves arbitrary account identifiers exactly") { store in
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
                    "The subject “\(subject)” has another subject's record."
                )
                let bytes = record.map { Array($0.account.subject.utf8) }
                try ContractError.require(
                    bytes == Array(subject.utf8),
                    "The subject “\(subject)” was returned with different bytes."
                )
            }
            try ContractError.require(
                await store.list().count == subjects.count,
                "The list does not contain every account exactly once."
            )
        },
        Self("Saves a record of 64 KiB") { store in
            for size in [65_536, 100, 65_536] {
                let record = try SessionRecord.sample(for: Self.ada, generation: Int64(size), size: size)
                try await store.update(Self.ada) { entry in
                    try await entry.mark(RefreshMark(begunAt: Date(timeIntervalSince1970: 1_000), generation: 0))
                    try await entry.save(record)
                }
                try ContractError.require(
                    await store.load(Self.ada) == record,
                    "A record of \(size) bytes was changed."
                )
            }
        },
        Self("Returns a refresh mark until it is cleared or a record without a mark is saved") { store in
            let record = try SessionRecord.sample(for: Self.ada, generation: 3)
            let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_000.25), generation: 3)
            var marked = record
            marked.refreshMark = mark
            try await Self.save(marked, in: store)
            try ContractError.require(await store.load(Self.ada) == marked, "The mark of a saved record is missing.")
            try await store.update(Self.ada) { try await $0.mark(nil) }
            try ContractError.require(
                await store.load(Self.ada) == record,
                "A mark that was saved with its record was not cleared."
            )
            let inside = try await store.update(Self.ada) { [marked] entry in
                try await entry.mark(mark)
                return try await entry.load() == marked
            }
            try ContractError.require(inside, "The mark is missing inside the update, or the record was changed.")
            try ContractError.require(await store.load(Self.ada) == marked, "The mark is missing after the update.")
            let later = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_001), generation: 3)
            try await store.update(Self.ada) { try await $0.mark(later) }
            try ContractError.require(
                await store.load(Self.ada)?.refreshMark == later,
                "A second mark did not replace the first one."
            )
            try await Self.save(marked, in: store)
            try ContractError.require(
                await store.load(Self.ada) == marked,
                "Saving a record with a mark did not replace a later mark."
            )
            try await store.update(Self.ada) { try await $0.mark(nil) }
            try ContractError.require(await store.load(Self.ada) == record, "A cleared mark is still returned.")
            let next = try SessionRecord.sample(for: Self.ada, generation: 4)
            try await store.update(Self.ada) { entry in
                try await entry.mark(mark)
                try await entry.save(next)
            }
            try ContractError.require(await store.load(Self.ada) == next, "Saving a record did not clear its mark.")
        },
        Self("Probes the store without changing it") { store in
            try await store.probe()
            try ContractError.require(await store.list().isEmpty, "A probe added an account.")
            let record = try SessionRecord.sample(for: Self.ada)
            try await Self.save(record, in: store)
            try await store.probe()
            try ContractError.require(await store.list() == [Self.ada], "A probe changed the list.")
            try ContractError.require(await store.load(Self.ada) == record, "A probe changed a record.")
        },
    ]
}
