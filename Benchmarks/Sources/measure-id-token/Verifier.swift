// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// One of the ways to verify a token that are compared.
struct Verifier: Sendable {
    let name: String
    /// Verifies the token of that number; an error ends the measurement.
    let verify: @Sendable (_ number: Int) async throws -> Void
}
