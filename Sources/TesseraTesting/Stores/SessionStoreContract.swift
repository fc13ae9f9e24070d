// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraSupport

/// One sentence of the contract of a `SessionStore`, and the check that holds a store to it.
///
/// For Swift Testing:
/// ```swift
/// @Test("The store keeps the contract", arguments: SessionStoreContract.all)
/// func contract(sentence: SessionStoreContract) async throws {
///     try await sentence.verify(MyStore(emptyPlace()))
/// }
/// ```
public struct SessionStoreContract: Sendable, CustomStringConvertible {
    /// What a store does.
    public let description: String
    private let check: @Sendable (any SessionStore) async throws -> Void

    init(_ description: String, _ check: @escaping @Sendable (any SessionStore) async throws -> Void) {
        self.description = description
        self.check = check
    }

    /// The whole contract.
    public static let all: [SessionStoreContract] = Self.keeping + Self.excluding

    /// Checks that a store does what the sentence says.
    ///
    /// - Parameter store: an empty store, for this sentence alone. The check writes records to it.
    /// - Throws: ``ContractError`` when it does not, and what the store itself throws.
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
    /// What happened, in the order in which it did.
    final class Journal: Sendable {
        private let state = Mutex<[String]>([])

        var lines: [String] { self.state.withLock { $0 } }

        func add(_ line: String) { self.state.withLock { $0.append(line) } }
    }

    /// The result of `work`, or a failure when it hangs: a store that waits for itself should fail, not stop, a suite.
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
