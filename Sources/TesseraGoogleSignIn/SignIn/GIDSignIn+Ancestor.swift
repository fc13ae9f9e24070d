// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth

extension GIDSignIn {
    /// The session of the program's last run, or one that is made of what Google's own library kept.
    ///
    /// - Throws: where there is a grant of the other library that cannot be taken over now; it stays for the next time.
    func previousSession() async throws -> OAuthSession? {
        let signIn = try await self.signIn()
        if let session = try await signIn.restore() { return session }
        guard let grant = try await self.ancestorGrant() else { return nil }
        do {
            let session = try await signIn.adopt(grant, options: try await self.options(Consent()))
            await self.forgetAncestor()
            return session
        } catch let ended as SessionEnded {
            await self.forgetAncestor()
            throw ended
        }
    }

    /// What Google's own library kept for this client; nil where there is none, and where it cannot be read.
    func ancestorGrant() async throws -> ExistingGrant? {
        guard let store = self.ancestorStore else { return nil }
        let clientID = try self.demandedConfiguration().clientID
        return try await BlockingExecutor.reading.run {
            guard let state = try? store.retrieveAuthSession().authState, state.isAuthorized,
                let refreshToken = state.refreshToken,
                clientID == state.lastAuthorizationResponse?.request.clientID
                    ?? state.lastTokenResponse?.request.clientID
            else {
                return nil
            }
            return ExistingGrant(
                refreshToken: Secret(refreshToken),
                idToken: state.lastTokenResponse?.idToken.map { Secret($0) },
                scopes: ScopeList.scopes(state.scope ?? "")
            )
        }
    }

    /// Removes what Google's own library kept.
    func forgetAncestor() async {
        guard let store = self.ancestorStore else { return }
        try? await BlockingExecutor.shared.run { try? store.removeAuthSession() }
    }
}
