// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraPostgreSQL
internal import TesseraStores
internal import TestPrograms
internal import Testing

extension PostgreSQLInstance {
    /// The server shared by the tests of a suite.
    @TaskLocal static var shared: PostgreSQLInstance?

    var address: Secret { Secret(self.url) }

    static let key = [UInt8](repeating: 7, count: StoreKey.length)

    func store(
        _ schema: String,
        key: [UInt8] = PostgreSQLInstance.key,
        former: [[UInt8]] = [],
        leaseDuration: Duration = .seconds(30),
        statementTimeout: Duration = .seconds(10),
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws -> PostgreSQLStore {
        try PostgreSQLStore(
            self.address,
            keys: StoreKeys(try StoreKey(key), former: try former.map { try StoreKey($0) }),
            schema: schema,
            leaseDuration: leaseDuration,
            statementTimeout: statementTimeout,
            lockTimeout: lockTimeout,
            clock: clock
        )
    }

    /// Returns a unique schema name.
    static func newSchema() -> String { "t" + UUID().uuidString.lowercased().filter { $0 != "-" } }
}

/// A trait that starts one server for all tests of a suite.
struct SharedPostgreSQL: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await PostgreSQLInstance.with { server in
            try await PostgreSQLInstance.$shared.withValue(server) { try await function() }
        }
    }
}
#endif
