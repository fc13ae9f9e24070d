// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Logging
public import TesseraOAuth

extension SignIn {
    /// A sign-in for a server, which opens no browser: people come by ``WebSignIn``, by a code of an app
    /// (``redeem(_:of:scopes:options:)``), or on another device.
    ///
    /// ``signIn(scopes:options:)`` and ``addScopes(_:to:options:)`` throw ``SignInError`` `noBrowser`.
    public convenience init(
        _ provider: Provider,
        transport: any HTTPTransport,
        store: any SessionStore,
        logger: Logger = Logger(label: "tessera")
    ) {
        self.init(provider, transport: transport, store: store, userAgent: AbsentUserAgent(), logger: logger)
    }
}

/// The user agent of a server.
private struct AbsentUserAgent: UserAgent {
    func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        throw SignInError(.noBrowser, detail: "this SignIn was created without a user agent")
    }
}
