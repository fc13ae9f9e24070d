// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import Tessera
internal import TesseraStores

/// Saves a session with a fresh token, for the measurement of `tessera token`.
enum StoredSession {
    static func save(in uri: String) async throws {
        let record = try BenchmarkSession.record()
        try await StoreURI(parsing: uri).makeStore().update(record.account) { try await $0.save(record) }
    }
}
