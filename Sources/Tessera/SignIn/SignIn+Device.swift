// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

extension SignIn {
    /// Signs a person in who has a browser on another device: shows an address and a code, waits for the decision, and
    /// returns the session, saved.
    ///
    /// The store is tried before anything is asked, so that nobody consents to what cannot be kept. The provider decides
    /// how long the person has. Of the options, those that belong to a browser (`prompt`, `loginHint`, `uiLocales`,
    /// `timeout`) are not used; `additionalParameters` are sent to the device authorization endpoint. To give up, cancel
    /// the task: nothing is sent after that, and nothing is saved.
    ///
    /// - Parameters:
    ///   - scopes: what is asked for.
    ///   - options: what else.
    ///   - present: shows the person the address and the code, and returns when they are shown; called once.
    /// - Returns: the session; what was granted may be less than was asked: see ``OAuthSession/grant``.
    /// - Throws: `OAuthError` `access_denied` for a no, `expired_token` when nobody decided in time; what `present`
    ///   throws; else as ``signIn(scopes:options:)``.
    /// - SeeAlso: [RFC 8628](https://www.rfc-editor.org/rfc/rfc8628.html)
    public func signInOnDevice(
        scopes: [Scope],
        options: SignInOptions = SignInOptions(),
        present: (DeviceAuthorization) async throws -> Void
    ) async throws -> OAuthSession {
        try Self.checkIdentity(options, scopes: scopes)
        try await self.connection.probe(self.store)
        _ = try await self.connection.metadata(isFresh: true)
        let dpopKey = try await self.connection.newDPoPKey()
        let request = DeviceAuthorizationRequest(
            scopes: scopes,
            additionalParameters: options.additionalParameters,
            insecure: self.provider.insecure
        )
        let client = try await self.connection.registeredClient()
        let authorization = try await client.send(request)
        try await present(authorization)
        let runtime = self.connection.runtime
        let answer = try await authorization.grant.decision(runtime: runtime) { request, deadline in
            let obtainedAt = runtime.now()
            let tokens = try await self.connection.registeredClient(dpopKey: dpopKey)
                .send(request, deadline: deadline)
            // No nonce was sent, so none may come back.
            return Answer(tokens: tokens, obtainedAt: obtainedAt, dpopKey: dpopKey)
        }
        let consent = Consent(scopes: scopes, resources: options.resources)
        return try await self.accept(answer, consent, options)
    }
}
