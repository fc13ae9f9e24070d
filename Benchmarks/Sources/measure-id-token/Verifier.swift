// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A method of token verification to compare.
struct Verifier: Sendable {
    let name: String
    /// Verifies the token with the given number, or throws an error that ends the measurement.
    let verify: @Sendable (_ number: Int) async throws -> Void
}
