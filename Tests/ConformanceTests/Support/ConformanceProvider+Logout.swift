// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting

extension ConformanceProvider {
    /// Signs the user out at the provider, and returns why the redirect was rejected, or nil if it was accepted.
    func logout() async throws -> ProtocolViolationError? {
        let session = try await self.signIn()
        let request = EndSessionRequest(
            idTokenHint: session.idToken,
            postLogoutRedirectURI: try RedirectURI("http://127.0.0.1:49152/signed-out")
        )
        let client = RegisteredClient(
            self.signIn.provider.client,
            metadata: try await self.metadata(),
            runtime: self.runtime
        )
        let pending = try PendingLogout(request, by: client)
        let browser = LoopbackBrowser(transport: self.runtime.transport)
        let response = try await browser.open(pending.logoutURL)
        if let mismatch = pending.mismatch(response) { return mismatch }
        try pending.receive(response)
        return nil
    }

    /// Creates a back-channel logout token of the provider and validates it.
    @discardableResult
    func backChannelLogout(
        changing change: Behavior.Change = { _ in },
        sign: (_ claims: [UInt8], _ key: JWSSigningKey) throws -> String = {
            try $1.sign(payload: $0, type: "logout+jwt")
        }
    ) async throws -> LogoutToken {
        let token = try self.endpoints.logoutToken(self.issuer, changing: change, sign: sign)
        let metadata = try await self.metadata()
        let keys = KeySetCache(try metadata.require(\.jwksURI, "jwks_uri"), runtime: self.runtime)
        let policy = LogoutTokenPolicy(issuer: metadata.issuer, clientID: Self.clientID)
        return try await keys.validate(Secret(token), policy: policy)
    }
}
