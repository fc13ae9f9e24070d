// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

extension SessionStoreContract {
    /// How a store keeps updates apart.
    static let excluding: [SessionStoreContract] = [
        Self("A hundred concurrent updates lose nothing") { store in
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
            try ContractError.require(journal.lines == oneByOne, "Two updates of one account ran at a time")
            let generation = try await store.load(Self.ada)?.generation
            try ContractError.require(generation == 100, "Of 100 increments \(generation ?? -1) were kept")
        },
        Self("Reading does not wait for an update, and sees the record before it") { store in
            try await Self.save(try .sample(for: Self.ada, generation: 1), in: store)
            try await store.update(Self.ada) { entry in
                let generation = try await Self.promptly("load waited for a running update") {
                    try await store.load(Self.ada)?.generation
                }
                try ContractError.require(generation == 1, "During an update the old record could not be read")
                let accounts = try await Self.promptly("list waited for a running update") { try await store.list() }
                try ContractError.require(accounts == [Self.ada], "During an update its account is not listed")
                try await entry.save(try .sample(for: Self.ada, generation: 2))
            }
            try ContractError.require(
                await store.load(Self.ada)?.generation == 2,
                "The update's record is not there after it"
            )
        },
        Self("Updates of two accounts do not wait for each other") { store in
            try await store.update(Self.ada) { entry in
                try await Self.promptly("An update waited for another account's") {
                    try await Self.save(try .sample(for: Self.bob), in: store)
                }
                try await entry.save(try .sample(for: Self.ada))
            }
            try ContractError.require(await store.list() == [Self.ada, Self.bob], "One of two records is not there")
        },
        Self("An update returns what its body returns, and throws what it throws; the old record stays") { store in
            struct Refused: Error {}
            let old = try SessionRecord.sample(for: Self.ada, generation: 1)
            try await Self.save(old, in: store)
            do {
                try await store.update(Self.ada) { entry in
                    _ = try await entry.load()
                    throw Refused()
                }
                throw ContractError("An update swallowed its body's error")
            } catch is Refused {}
            try ContractError.require(await store.load(Self.ada) == old, "An update that failed changed the record")
            let answer = try await Self.promptly("An update that failed kept the account locked") {
                try await store.update(Self.ada) { _ in 42 }
            }
            try ContractError.require(answer == 42, "An update did not return its body's value")
        },
        Self("What was saved before an error stays saved") { store in
            struct Refused: Error {}
            let new = try SessionRecord.sample(for: Self.ada, generation: 2)
            do {
                try await store.update(Self.ada) { entry in
                    try await entry.save(new)
                    throw Refused()
                }
            } catch is Refused {}
            try ContractError.require(await store.load(Self.ada) == new, "A save that had returned was undone")
        },
        Self("A removal waits for the update that runs, and cannot be undone by it") { store in
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
                "A running update brought a removed session back"
            )
        },
        Self("A cancelled update that waits leaves at once, and frees nothing that it does not own") { store in
            let holding = Gate()
            let leave = Gate()
            let journal = Journal()
            async let holder: Void = store.update(Self.ada) { _ in
                holding.open()
                await leave.pass()
                journal.add("holder ends")
            }
            await holding.pass()
            let cancelled = Task {
                try await store.update(Self.ada) { _ in journal.add("cancelled runs") }
            }
            let follower = Task {
                try await store.update(Self.ada) { _ in journal.add("follower runs") }
            }
            for _ in 0..<100 { await Task.yield() }
            cancelled.cancel()
            let outcome = try await Self.promptly("A cancelled update went on waiting") { await cancelled.result }
            for _ in 0..<100 { await Task.yield() }
            leave.open()
            try await holder
            try await follower.value
            do {
                try outcome.get()
                throw ContractError("A cancelled update did not throw")
            } catch is CancellationError {}
            try ContractError.require(
                journal.lines == ["holder ends", "follower runs"],
                "After a cancelled wait the order was: \(journal.lines.joined(separator: ", "))"
            )
        },
        Self("An entry that outlives its update is refused") { store in
            let kept = try await store.update(Self.ada) { $0 }
            do {
                try await kept.save(try .sample(for: Self.ada))
                throw ContractError("An entry saved after its update had ended")
            } catch is StoreError {}
            try ContractError.require(await store.load(Self.ada) == nil, "An entry saved after its update had ended")
        },
    ]
}
