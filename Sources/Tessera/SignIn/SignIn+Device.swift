// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

extension SignIn {
    /// Signs in a user who opens the provider's page on another device.
    ///
    /// The user opens a URL on a second device and enters a code. This method requests the code, waits for the user's
    /// decision, and saves the session before it returns. The provider determines how long the code is valid.
    ///
    /// The store is checked first, so that the user is not asked to consent to a session that cannot be saved. Options
    /// that apply only to a browser (`prompt`, `loginHint`, `uiLocales`, `timeout`) are ignored. `additionalParameters`
    /// are sent to the device authorization endpoint. `maxAge`, `acrValues` and `claims` are not sent, because no
    /// standard defines them for this endpoint, but the ID token must fulfill `maxAge` and an essential `acr` or
    /// `auth_time`. Cancel the task to stop waiting. Nothing is sent or saved after cancellation.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request.
    ///   - options: Further sign-in options.
    ///   - present: A closure that shows the URL and the code to the user and returns once they are visible. It is
    ///     called once.
    /// - Returns: The session. The user may have granted fewer scopes than requested, as reported by
    ///   ``OAuthSession/grantedScopes``.
    /// - Throws: `OAuthError` with the code `access_denied` if the user denied the request or `expired_token` if the
    ///   code expired, or any error that `present` or ``signIn(scopes:options:)`` throws.
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
            resources: options.resources,
            additionalParameters: options.additionalParameters,
            insecure: self.provider.insecure
        )
        let client = try await self.connection.registeredClient()
        let authorization = try await client.send(request)
        try await present(authorization)
        let runtime = self.connection.runtime
        let response = try await authorization.grant.decision(runtime: runtime) { request, deadline in
            let time = RequestTime(runtime)
            var request = request
            request.resources = options.resources
            let tokens = try await self.connection.registeredClient(dpopKey: dpopKey)
                .send(request, deadline: deadline)
            // The request had no nonce, so the ID token must not have one.
            return ReceivedTokens(tokens: tokens, time: time, isFromDevice: true, dpopKey: dpopKey)
        }
        let consent = Consent(scopes: scopes, resources: options.resources)
        return try await self.accept(response, consent, options)
    }
}
