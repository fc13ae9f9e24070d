// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

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

    static func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(ContractError) {
        if !condition { throw ContractError(sentence()) }
    }

    static func save(_ record: SessionRecord, in store: any SessionStore) async throws {
        try await store.update(record.account) { entry in try await entry.save(record) }
    }
}
