// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import TesseraOAuth

extension OAuthSession {
    /// A token for some of the granted scopes (RFC 6749, section 6); the session keeps its own.
    ///
    /// The provider is asked each time. A refresh token that it replaces is saved before anybody sees the token.
    ///
    /// - Parameter scopes: what the token is wanted for; each was granted.
    /// - Returns: the token; nil where the session has no refresh token, or the provider refuses such a request.
    /// - Throws: as ``accessToken()``.
    package func narrowed(to scopes: [Scope]) async throws -> NarrowedToken? {
        if let ended = self.ended { throw ended }
        return try await self.connection.update(self.account, in: self.store) { entry in
            do {
                return try await self.narrow(entry, to: scopes)
            } catch let ended as SessionEnded {
                self.end(ended)
                throw ended
            }
        }
    }

    private func narrow(_ entry: SessionStoreEntry, to scopes: [Scope]) async throws -> NarrowedToken? {
        let known = self.record
        let opened = try await self.open(entry)
        guard let refreshToken = opened.tokens.refreshToken else { return nil }
        let runtime = self.connection.runtime
        let begunAt = runtime.now()
        let response: TokenResponse
        do {
            response = try await self.send(
                refreshToken,
                of: opened.record,
                scopes: scopes,
                begunAt: begunAt,
                entry,
                .unlimited
            )
        } catch let refusal as OAuthError where !refusal.isTransient {
            // Whatever it says of these scopes: whether the session has ended, the next refresh of all of them tells.
            try? await entry.mark(opened.record.refreshMark)
            return nil
        }
        var next = opened.record
        next.count(response, at: begunAt)
        next.tokens?.refreshToken = response.refreshToken ?? refreshToken
        let saved = try await self.save(next, over: opened.record, response, entry)
        let isKnown = opened.tokens.accessToken == known.tokens?.accessToken
        _ = try self.publish(Change(record: saved, event: isKnown ? nil : .adopted))
        let tokens = TokenSet(
            accessToken: response.accessToken,
            tokenType: response.tokenType,
            obtainedAt: begunAt,
            lifetime: response.expiresIn,
            refreshToken: nil,
            idToken: nil
        )
        let current = CurrentToken(
            tokens,
            dpop: response.tokenType == .dpop ? saved.dpopKey.map { self.connection.prover($0) } : nil,
            now: runtime.now(),
            uptime: runtime.uptime(),
            isRenewable: true
        )
        return NarrowedToken(current, scopes: response.scope)
    }
}
