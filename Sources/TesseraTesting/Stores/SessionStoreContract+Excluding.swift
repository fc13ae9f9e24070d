// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

extension SessionStoreContract {
    /// Requirements for mutual exclusion between updates.
    static let excluding: [SessionStoreContract] = [
        Self("Loses no changes in 100 concurrent updates") { store in
            try await Self.save(try .sample(for: Self.ada, generation: 0), in: store)
            let journal = Journal()
            try await withThrowingTaskGroup { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await store.update(Self.ada) { entry in
                            journal.add("begins")
                            let generation = try await entry.load()?.generation ?? -1
                            await Task.yield()
                            try await entry.save(try .sample(for: Self.ada, generation: generation + 1))
                            journal.add("ends")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let oneByOne = (0..<100).flatMap { _ in ["begins", "ends"] }
            try ContractError.require(journal.lines == oneByOne, "Two updates of one account ran concurrently.")
            let generation = try await store.load(Self.ada)?.generation
            try ContractError.require(generation == 100, "Only \(generation ?? -1) of 100 increments were saved.")
        },
        Self("Reads the previous record during an update without waiting") { store in
            try await Self.save(try .sample(for: Self.ada, generation: 1), in: store)
            try await store.update(Self.ada) { entry in
                let generation = try await Self.promptly("load(_:) waited for a running update.") {
                    try await store.load(Self.ada)?.generation
                }
                try ContractError.require(generation == 1, "The previous record could not be read during an update.")
                let accounts = try await Self.promptly("list() waited for a running update.") { try await store.list() }
                try ContractError.require(accounts == [Self.ada], "The account is not listed during an update.")
                try await entry.save(try .sample(for: Self.ada, generation: 2))
            }
            try ContractError.require(
                await store.load(Self.ada)?.generation == 2,
                "The record that the update saved is missing afterward."
            )
        },
        Self("Updates two accounts without waiting for each other") { store in
            try await store.update(Self.ada) { entry in
                try await Self.promptly("An update waited for another account's update.") {
                    try await Self.save(try .sample(for: Self.bob), in: store)
                }
                try await entry.save(try .sample(for: Self.ada))
            }
            try ContractError.require(await store.list() == [Self.ada, Self.bob], "One of two records is missing.")
        },
        Self("Returns the value that an update's body returns, or throws its error") { store in
            struct Refused: Error {}
            let old = try SessionRecord.sample(for: Self.ada, generation: 1)
            try await Self.save(old, in: store)
            do {
                try await store.update(Self.ada) { entry in
                    _ = try await entry.load()
                    throw Refused()
                }
                throw ContractError("An update did not throw its body's error.")
            } catch is Refused {}
            try ContractError.require(await store.load(Self.ada) == old, "A failed update changed the record.")
            let response = try await Self.promptly("The account stayed locked after a failed update.") {
                try await store.update(Self.ada) { _ in 42 }
            }
            try ContractError.require(response == 42, "An update did not return its body's value.")
        },
        Self("Retains a record that was saved before the update failed") { store in
            struct Refused: Error {}
            let new = try SessionRecord.sample(for: Self.ada, generation: 2)
            do {
                try await store.update(Self.ada) { entry in
                    try await entry.save(new)
                    throw Refused()
                }
            } catch is Refused {}
            try ContractError.require(await store.load(Self.ada) == new, "A completed save was undone.")
        },
        Self("Removes a record after a running update ends") { store in
            let started = Gate()
            let asked = Gate()
            async let update: Void = store.update(Self.ada) { entry in
                started.open()
                await asked.pass()
                for _ in 0..<100 { await Task.yield() }
                try await entry.save(try .sample(for: Self.ada))
            }
            await started.pass()
            async let removal: Void = {
                asked.open()
                try await store.remove(Self.ada)
            }()
            _ = try await (update, removal)
            try ContractError.require(
                await store.load(Self.ada) == nil,
                "A running update restored a removed session."
            )
        },
        Self("Cancels a waiting update immediately without releasing another update's lock") { store in
            let holding = Gate()
            let leave = Gate()
            let journal = Journal()
            async let holder: Void = store.update(Self.ada) { _ in
                holding.open()
                await leave.pass()
                journal.add("holder ends")
            }
            await holding.pass()
            let canceled = Task {
                try await store.update(Self.ada) { _ in journal.add("canceled runs") }
            }
            let follower = Task {
                try await store.update(Self.ada) { _ in journal.add("follower runs") }
            }
            for _ in 0..<100 { await Task.yield() }
            canceled.cancel()
            let outcome = try await Self.promptly("A canceled update did not stop waiting.") { await canceled.result }
            for _ in 0..<100 { await Task.yield() }
            leave.open()
            try await holder
            try await follower.value
            do {
                try outcome.get()
                throw ContractError("A canceled update did not throw an error.")
            } catch is CancellationError {}
            try ContractError.require(
                journal.lines == ["holder ends", "follower runs"],
                "The order after a canceled wait was: \(journal.lines.joined(separator: ", "))."
            )
        },
        Self("Rejects the use of an entry after its update has ended") { store in
            let entry = try await store.update(Self.ada) { $0 }
            do {
                try await entry.save(try .sample(for: Self.ada))
                throw ContractError("An entry saved a record after its update had ended.")
            } catch is StoreError {}
            try ContractError.require(
                await store.load(Self.ada) == nil,
                "An entry saved a record after its update had ended."
            )
        },
    ]
}
