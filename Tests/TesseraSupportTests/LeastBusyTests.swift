// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Testing

@Suite("Pools of elements that do one piece of work at a time")
struct LeastBusyTests {
    private struct WorkError: Error {}

    @Test("Chooses the element with the least pending work")
    func choice() async throws {
        let pool = LeastBusy([0, 1])
        let chosen = try await pool.use { first in
            try await pool.use { second in
                let third = try await pool.use { third in
                    try await pool.use { fourth in [third, fourth] }
                }
                return [first, second] + third
            }
        }
        #expect(chosen == [0, 1, 0, 1])
    }

    @Test("An element is idle after its work has ended, even with an error")
    func failure() async throws {
        let pool = LeastBusy([0, 1])
        await #expect(throws: WorkError.self) { try await pool.use { _ in throw WorkError() } }
        let chosen = try await pool.use { first in
            // The second element is busy only until the end of this work.
            let second = try await pool.use { $0 }
            return try await pool.use { third in [first, second, third] }
        }
        #expect(chosen == [0, 1, 1])
    }
}
