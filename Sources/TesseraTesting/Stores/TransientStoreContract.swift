// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraSupport

/// A requirement for a `TransientStore`, with a check that uses two instances the way separate processes would.
public struct TransientStoreContract: Sendable, CustomStringConvertible {
    /// The requirement as a sentence.
    public let description: String
    private let check: @Sendable (any TransientStore, any TransientStore) async throws -> Void

    init(
        _ description: String,
        _ check: @escaping @Sendable (any TransientStore, any TransientStore) async throws -> Void
    ) {
        self.description = description
        self.check = check
    }

    /// Verifies that a store satisfies the requirement.
    ///
    /// - Parameters:
    ///   - first: An instance with an empty location that is used only for this check.
    ///   - second: Another instance that uses the same location, or the same instance.
    /// - Throws: ``ContractError`` if the store violates the requirement, or any error that the store throws.
    public func verify(_ first: any TransientStore, _ second: any TransientStore) async throws {
        try await self.check(first, second)
    }

    // The date is in the past, so a store that uses the system clock to remove expired entries would remove these
    // entries.
    private static let now = Date(timeIntervalSince1970: 1_000_000_000)
    private static let later = Self.now.addingTimeInterval(60)

    /// All requirements.
    public static let all: [TransientStoreContract] = [
        Self("Returns an entry from both instances until it is taken") { first, second in
            let content = [UInt8](0...255)
            try await first.save(content, as: "a", until: Self.later, now: Self.now)
            for store in [first, second] {
                try ContractError.require(
                    await store.content(of: "a", now: Self.now) == content,
                    "A saved entry is missing or was changed."
                )
                try ContractError.require(
                    await store.content(of: "b", now: Self.now) == nil,
                    "An entry was returned for an unused name."
                )
            }
            try ContractError.require(await second.take("a", now: Self.now) == content, "The entry could not be taken.")
            for store in [first, second] {
                try ContractError.require(await store.take("a", now: Self.now) == nil, "The entry was taken twice.")
                try ContractError.require(
                    await store.content(of: "a", now: Self.now) == nil,
                    "The entry still exists after it has been taken."
                )
            }
        },
        Self("Returns an entry to only one of 20 concurrent callers") { first, second in
            for round in 0..<5 {
                try await first.save([UInt8(round)], as: "one", until: Self.later, now: Self.now)
                let count = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<20 {
                        let store = number.isMultiple(of: 2) ? first : second
                        group.addTask { try await store.take("one", now: Self.now) == [UInt8(round)] }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                try ContractError.require(count == 1, "\(count) callers received the entry.")
            }
        },
        Self("Does not return expired entries") { first, second in
            for name in ["read", "taken"] {
                try await first.save([1], as: name, until: Self.later, now: Self.now)
            }
            for store in [first, second] {
                try ContractError.require(
                    await store.content(of: "read", now: Self.later) == nil,
                    "The entry still exists when it expires."
                )
            }
            try ContractError.require(
                await second.take("taken", now: Self.later) == nil,
                "The entry could be taken when it expired."
            )
        },
        Self("Uses the caller's clock to remove expired entries") { first, second in
            for number in 0..<300 {
                try await first.save([1], as: "\(number)", until: Self.later, now: Self.now)
            }
            for number in 0..<300 {
                try ContractError.require(
                    await second.take("\(number)", now: Self.now) == [1],
                    "Entry \(number) of 300 was removed before it expired."
                )
            }
        },
        Self("Replaces an entry with the same name and its expiration") {
            first,
            second in
            try await first.save([1], as: "a", until: Self.now.addingTimeInterval(1), now: Self.now)
            try await second.save([2, 3], as: "a", until: Self.later, now: Self.now)
            let now = Self.now.addingTimeInterval(2)
            try ContractError.require(
                await first.content(of: "a", now: now) == [2, 3],
                "The older entry still exists."
            )
            try ContractError.require(await first.take("a", now: now) == [2, 3], "The older entry was taken.")
            try ContractError.require(await second.take("a", now: now) == nil, "Both entries existed.")
        },
        Self("Accepts any text as a name and contents from 0 bytes to 64 KiB") { first, second in
            for (name, length) in [("", 0), ("é \u{0} '\";--", 1), (String(repeating: "n", count: 4_096), 1 << 16)] {
                let content = [UInt8](repeating: 9, count: length)
                try await first.save(content, as: name, until: Self.later, now: Self.now)
                try ContractError.require(
                    await second.take(name, now: Self.now) == content,
                    "\(length) bytes under a name of \(name.count) characters were not returned."
                )
            }
        },
    ]
}
