// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// Who is signed in: what the newest ID token says, else what the program said.
extension AuthSession {
    /// The subject: a text that is unique at the provider and never changes.
    public var userID: String? { self.idToken?.subject ?? self.given.id }

    /// The email address.
    public var userEmail: String? { self.idToken.flatMap { $0.claims["email"] as? String } ?? self.given.email }

    /// Whether the provider has verified that address.
    ///
    /// Google says so with a boolean, others with a text.
    public var userEmailIsVerified: Bool {
        switch self.idToken?.claims["email_verified"] {
        case let isVerified as Bool: isVerified
        case let text as String: GivenIdentity(id: nil, email: nil, isVerified: text).isEmailVerified
        // What the program knows is about its own address.
        default: self.userEmail == self.given.email && self.given.isEmailVerified
        }
    }

    /// Whether ``userEmail`` is verified, as archives have it.
    var userEmailIsVerifiedText: String? {
        if self.userEmailIsVerified { return "y" }
        return self.given.isEmailVerified ? "n" : self.given.isVerified
    }

    private var idToken: OIDIDToken? { self.authState.snapshot().tokens.id.flatMap { OIDIDToken(idTokenString: $0) } }
}
