// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraSupport

/// A requirement for a `SessionStore`, with its check.
///
/// With Swift Testing:
/// ```swift
/// @Test("The store satisfies the contract", arguments: SessionStoreContract.all)
/// func contract(requirement: SessionStoreContract) async throws {
///     try await requirement.verify(MyStore(at: emptyLocation()))
/// }
/// ```
public struct SessionStoreContract: Sendable, CustomStringConvertible {
    /// The requirement as a sentence.
    public let description: String
    private let check: @Sendable (any SessionStore) async throws -> Void

    init(_ description: String, _ check: @escaping @Sendable (any SessionStore) async throws -> Void) {
        self.description = description
        self.check = check
    }

    /// All requirements.
    public static let all: [SessionStoreContract] = Self.saving + Self.excluding

    /// Verifies that a store satisfies the requirement.
    ///
    /// - Parameter store: An empty store that is used only for this check. The check writes records to it.
    /// - Throws: ``ContractError`` if the store violates the requirement, or any error that the store throws.
    public func verify(_ store: any SessionStore) async throws {
        try await self.check(store)
    }

    static let ada = Account(issuer: "https://accounts.example", clientID: "client", subject: "ada")
    static let bob = Account(issuer: "https://accounts.example", clientID: "client", subject: "bob")

    static func save(_ record: SessionRecord, in store: any SessionStore) async throws {
        try await store.update(record.account) { entry in try await entry.save(record) }
    }
}

extension SessionStoreContract {
    /// A log of events in the order in which they occurred.
    final class Journal: Sendable {
        private let state = Mutex<[String]>([])

        var lines: [String] { self.state.withLock { $0 } }

        func add(_ line: String) { self.state.withLock { $0.append(line) } }
    }

    /// Returns the result of `work`.
    ///
    /// This method throws an error after 30 seconds, so that a deadlocked store cannot hang the suite.
    static func promptly<Value: Sendable>(
        _ sentence: String,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (results, finish) = AsyncStream<Result<Value, any Error>>.makeStream()
        let worker = Task {
            do { finish.yield(.success(try await work())) } catch { finish.yield(.failure(error)) }
        }
        let watchdog = Task {
            try await ContinuousClock().sleep(for: .seconds(30))
            finish.yield(.failure(ContractError(sentence)))
        }
        defer {
            worker.cancel()
            watchdog.cancel()
        }
        for await result in results { return try result.get() }
        throw CancellationError()
    }
}
