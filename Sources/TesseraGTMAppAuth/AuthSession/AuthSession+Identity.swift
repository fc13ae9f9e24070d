// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGoogle

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

/// Who a session's person is, as the program says; an ID token knows better.
struct GivenIdentity: Sendable {
    let id: String?
    let email: String?
    /// As it was written: an archive keeps it so.
    let isVerified: String?

    var isEmailVerified: Bool { self.isVerified.map { Self.isTrue($0) } ?? false }

    /// What `NSString.boolValue` makes of a text: whatever begins with `y`, `t` or a digit but 0 is true.
    ///
    /// White space, a sign and zeros may come before.
    private static func isTrue(_ text: String) -> Bool {
        var text = text.drop { $0.isWhitespace }
        if let sign = text.first, "+-".contains(sign) { text = text.dropFirst() }
        guard let first = text.first(where: { $0 != "0" }) else { return false }
        return "yYtT123456789".contains(first)
    }
}

extension AuthSession {
    /// Google's endpoints; its ID tokens are verified by its own name and keys.
    ///
    /// - SeeAlso: [Google's discovery document](https://accounts.google.com/.well-known/openid-configuration)
    public static func configurationForGoogle() -> OIDServiceConfiguration {
        OIDServiceConfiguration(
            authorizationEndpoint: self.url(GoogleEndpoints.authorizationEndpoint),
            tokenEndpoint: self.url(GoogleEndpoints.tokenEndpoint)
        )
    }

    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is no URL") }
        return url
    }
}
