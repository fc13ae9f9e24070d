// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraOAuth
internal import TesseraSupport

extension OAuthSession {
    /// A token for some of the granted scopes (RFC 6749, section 6); the session keeps its own.
    ///
    /// The provider is asked each time. A refresh token that it replaces is saved before anybody sees the token.
    ///
    /// - Parameter scopes: what the token is wanted for; each was granted.
    /// - Returns: the token; nil where the session has no refresh token, or the provider refuses such a request.
    /// - Throws: as ``accessToken()``.
    package func narrowed(to scopes: [Scope]) async throws -> CurrentToken<NarrowedToken>? {
        if let ended = self.ended { throw ended }
        // A caller that is cancelled stops waiting; the refresh token that was sent is not abandoned.
        return try await SingleFlight<CurrentToken<NarrowedToken>?>().run { try await self.narrow(to: scopes) }
    }

    /// Thrown for a session without a refresh token.
    private struct NoRefreshToken: Error {}

    private func narrow(to scopes: [Scope]) async throws -> CurrentToken<NarrowedToken>? {
        let result: RefreshResult
        do {
            result = try await self.inSteps { entry, time in try await self.narrow(entry, to: scopes, time) }.result
        } catch is NoRefreshToken {
            return nil
        } catch let refusal as OAuthError where !refusal.isTransient {
            // Whatever it says of these scopes: whether the session has ended, the next refresh of all of them tells.
            return nil
        }
        guard let response = result.response, let request = result.request else { return nil }
        let tokens = TokenSet(response, obtainedAt: request.begunAt)
        let current = CurrentToken(tokens, dpopKey: request.base.dpopKey, self.connection, isRenewable: true)
        // It is not refreshed in the background, so that it ends when it is due.
        let token = NarrowedToken(token: current.token, scopes: response.scope)
        return CurrentToken(token, dueAt: current.dueAt, expiredAt: current.dueAt)
    }

    private func narrow(
        _ entry: SessionStoreEntry,
        to scopes: [Scope],
        _ time: ActivityTime
    ) async throws -> RefreshResult {
        let opened = try await self.open(entry)
        guard let refreshToken = opened.tokens.refreshToken else { throw NoRefreshToken() }
        let refresh = SentRefresh(
            purpose: .narrowing(scopes),
            refreshToken: refreshToken,
            base: opened.record,
            tokens: opened.tokens,
            begunAt: self.connection.runtime.now()
        )
        let response: TokenResponse
        do {
            response = try await self.send(refresh, entry, time)
        } catch let refusal as OAuthError where !refusal.isTransient {
            try? await entry.mark(opened.record.refreshMark)
            throw refusal
        }
        return try await self.accept(response, refresh, entry, time)
    }
}

/// A token for some of a session's scopes, which is in no record.
package struct NarrowedToken: Sendable, Equatable {
    package let token: AccessToken
    /// The scopes that the provider granted; nil where it does not tell them, and so may have narrowed nothing.
    package let scopes: [Scope]?

    package init(token: AccessToken, scopes: [Scope]?) {
        self.token = token
        self.scopes = scopes
    }

    /// Whether both have the same token.
    package static func == (left: Self, right: Self) -> Bool { left.token == right.token }
}
