// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraSupport

/// One sentence of the contract of a `TransientStore`, and the check that holds two instances of a store to it: as two
/// processes have them.
public struct TransientStoreContract: Sendable, CustomStringConvertible {
    /// What a store does.
    public let description: String
    private let check: @Sendable (any TransientStore, any TransientStore) async throws -> Void

    init(
        _ description: String,
        _ check: @escaping @Sendable (any TransientStore, any TransientStore) async throws -> Void
    ) {
        self.description = description
        self.check = check
    }

    /// Checks that a store does what the sentence says.
    ///
    /// - Parameters:
    ///   - first: an instance over an empty place, for this sentence alone.
    ///   - second: another one over the same place, or the same.
    /// - Throws: ``ContractError`` when it does not, and what the store itself throws.
    public func verify(_ first: any TransientStore, _ second: any TransientStore) async throws {
        try await self.check(first, second)
    }

    // Long ago: by the system's clock all of it has come to its end, and would be swept away.
    private static let now = Date(timeIntervalSince1970: 1_000_000_000)
    private static let later = Self.now.addingTimeInterval(60)

    /// The whole contract.
    public static let all: [TransientStoreContract] = [
        Self("What is kept is there at both instances until it is taken, and then at neither") { first, second in
            let content = [UInt8](0...255)
            try await first.keep(content, as: "a", until: Self.later, now: Self.now)
            for store in [first, second] {
                try ContractError.require(
                    await store.content(of: "a", now: Self.now) == content,
                    "What was kept came back changed, or not at all"
                )
                try ContractError.require(
                    await store.content(of: "b", now: Self.now) == nil,
                    "Something came back under a name that has nothing"
                )
            }
            try ContractError.require(await second.take("a", now: Self.now) == content, "It could not be taken")
            for store in [first, second] {
                try ContractError.require(await store.take("a", now: Self.now) == nil, "It was taken twice")
                try ContractError.require(
                    await store.content(of: "a", now: Self.now) == nil,
                    "It is there after it was taken"
                )
            }
        },
        Self("Of twenty who take it at once, one gets it") { first, second in
            for round in 0..<5 {
                try await first.keep([UInt8(round)], as: "one", until: Self.later, now: Self.now)
                let count = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<20 {
                        let store = number.isMultiple(of: 2) ? first : second
                        group.addTask { try await store.take("one", now: Self.now) == [UInt8(round)] }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                try ContractError.require(count == 1, "\(count) got it")
            }
        },
        Self("What has come to its end is not there, and is not taken") { first, second in
            for name in ["read", "taken"] {
                try await first.keep([1], as: name, until: Self.later, now: Self.now)
            }
            for store in [first, second] {
                try ContractError.require(
                    await store.content(of: "read", now: Self.later) == nil,
                    "It is there at its end"
                )
            }
            try ContractError.require(await second.take("taken", now: Self.later) == nil, "It was taken at its end")
        },
        Self("What is swept away has come to its end by the caller's clock") { first, second in
            for number in 0..<300 {
                try await first.keep([1], as: "\(number)", until: Self.later, now: Self.now)
            }
            for number in 0..<300 {
                try ContractError.require(
                    await second.take("\(number)", now: Self.now) == [1],
                    "Thing \(number) of 300 was swept away before its end"
                )
            }
        },
        Self("What is kept again under a name takes the place of what was there, and has its own end") {
            first,
            second in
            try await first.keep([1], as: "a", until: Self.now.addingTimeInterval(1), now: Self.now)
            try await second.keep([2, 3], as: "a", until: Self.later, now: Self.now)
            let now = Self.now.addingTimeInterval(2)
            try ContractError.require(await first.content(of: "a", now: now) == [2, 3], "The older one is there")
            try ContractError.require(await first.take("a", now: now) == [2, 3], "The older one was taken")
            try ContractError.require(await second.take("a", now: now) == nil, "Both were there")
        },
        Self("A name is any text, and contents may be empty or 64 KiB long") { first, second in
            for (name, length) in [("", 0), ("é \u{0} '\";--", 1), (String(repeating: "n", count: 4_096), 1 << 16)] {
                let content = [UInt8](repeating: 9, count: length)
                try await first.keep(content, as: name, until: Self.later, now: Self.now)
                try ContractError.require(
                    await second.take(name, now: Self.now) == content,
                    "\(length) bytes under a name of \(name.count) characters did not come back"
                )
            }
        },
    ]
}
