// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import BenchmarkSession
public import Tessera

/// Sessions of many users, which differ only in their subjects and tokens.
public enum Accounts {
    /// Returns the account with the given number.
    public static func account(_ number: Int, issuer: String = BenchmarkSession.issuer) -> Account {
        Account(issuer: issuer, clientID: BenchmarkSession.account.clientID, subject: "person-\(number)")
    }

    /// Creates a record of typical size: an access token, a refresh token and an ID token of a thousand characters.
    public static func record(
        _ number: Int,
        isExpired: Bool = false,
        issuer: String = BenchmarkSession.issuer
    ) throws -> SessionRecord {
        var record = try BenchmarkSession.record(isExpired: isExpired, issuer: issuer)
        record.account = Self.account(number, issuer: issuer)
        record.tokens = TokenSet(
            accessToken: Secret("ya29.\(number)." + String(repeating: "benchmark-", count: 20)),
            obtainedAt: isExpired ? Date().addingTimeInterval(-7_200) : Date(),
            lifetime: 3_600,
            refreshToken: Secret("1//\(number)." + String(repeating: "benchmark-", count: 10)),
            idToken: Secret("eyJ\(number)." + String(repeating: "benchmark-", count: 100))
        )
        return record
    }

    /// Returns the total size of the tokens in bytes.
    public static func tokenBytes(_ record: SessionRecord) -> Int {
        guard let tokens = record.tokens else { return 0 }
        return [tokens.accessToken, tokens.refreshToken, tokens.idToken]
            .reduce(0) { sum, token in sum + (token?.withUnredacted { $0.utf8.count } ?? 0) }
    }

    /// Saves the sessions with the given numbers, up to 16 concurrently.
    public static func save(_ numbers: Range<Int>, in store: any SessionStore) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (position, number) in numbers.enumerated() {
                if position >= 16 { try await group.next() }
                group.addTask {
                    let record = try Self.record(number)
                    try await store.update(record.account) { try await $0.save(record) }
                }
            }
            try await group.waitForAll()
        }
    }
}
