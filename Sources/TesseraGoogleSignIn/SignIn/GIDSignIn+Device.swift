// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
public import TesseraOAuth
internal import TesseraSupport

extension GIDSignIn {
    /// Signs somebody in who has a browser on another device: on a television, a watch, a machine without a display.
    ///
    /// Google wants a client of the type *TVs and Limited Input devices* for it, and grants few scopes this way. To give
    /// up, cancel the task.
    ///
    /// - Parameters:
    ///   - additionalScopes: scopes beside `openid`, `email` and `profile`.
    ///   - present: shows the person the address and the code, and returns when they are shown; called once.
    /// - Returns: the result; it has no code for a server.
    /// - Throws: ``GIDSignInError``: `accessDenied` for a no, `unknown` with an `OAuthError` `expired_token` when nobody
    ///   decided in time.
    /// - SeeAlso: [OAuth 2.0 for TV and limited-input devices](https://developers.google.com/identity/protocols/oauth2/limited-input-device)
    @discardableResult
    public func signInOnDevice(
        additionalScopes: [String]? = nil,
        present: @escaping @Sendable (DeviceAuthorization) async throws -> Void
    ) async throws -> GIDSignInResult {
        try await self.mapping {
            let epoch = self.state.withLock { $0.epoch }
            let signIn = try await self.signIn()
            let scopes = (additionalScopes ?? []).map { Scope($0) }
            let asked = signIn.provider.scopeAliases.union(Self.basicScopes, scopes)
            var options = SignInOptions()
            options.requiredClaims = try self.demandedConfiguration().requiredClaims
            let session = try await signIn.signInOnDevice(scopes: asked, options: options, present: present)
            let user = try await self.adopt(session, of: signIn, since: epoch, claims: [])
            return GIDSignInResult(user: user, serverAuthCode: nil)
        }
    }
}

/// What a sign-in brought.
public final class GIDSignInResult: NSObject, CustomReflectable, Sendable {
    /// The person.
    public let user: GIDGoogleUser
    /// A code that the program's server exchanges for tokens of its own; nil unless the configuration names a server's
    /// client, and then only when Google gives one.
    ///
    /// It is a secret, and good once.
    public let serverAuthCode: String?

    init(user: GIDGoogleUser, serverAuthCode: Secret?) {
        self.user = user
        self.serverAuthCode = serverAuthCode?.withUnredacted { $0 }
    }

    /// Nobody and nothing secret.
    public override var description: String { "result of a sign-in" }
    public override var debugDescription: String { self.description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
