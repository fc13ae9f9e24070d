// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
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

/// What a server has in place of a browser.
private struct AbsentUserAgent: UserAgent {
    func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        throw SignInError(.noBrowser, detail: "this SignIn was created without a user agent")
    }
}
