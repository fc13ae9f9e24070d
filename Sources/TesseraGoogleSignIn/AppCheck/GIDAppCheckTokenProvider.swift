// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Proves to Google that the program is the genuine one: the door to Firebase App Check, or to whatever the program has.
///
/// - SeeAlso: [Get started with App Check for Google Sign-In](https://developers.google.com/identity/sign-in/ios/appcheck/get-started)
public protocol GIDAppCheckTokenProvider: Sendable {
    /// A token for one use.
    ///
    /// What it throws does not keep the person from signing in: Google then decides without a proof.
    func limitedUseToken() async throws -> String
}
