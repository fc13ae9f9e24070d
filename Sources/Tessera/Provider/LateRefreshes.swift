// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// The refreshes that continue after they have released the lock of their account.
///
/// Their responses may replace the refresh token, so nothing else must use it meanwhile.
final class LateRefreshes: Sendable {
    typealias Refresh = Task<OAuthSession.PublishedResult, any Error>

    private let refreshes = Mutex<[Account: Refresh]>([:])

    /// The late refresh of an account, if it has one.
    subscript(_ account: Account) -> Refresh? { self.refreshes.withLock { $0[account] } }

    /// Registers a refresh.
    ///
    /// The account must still be locked, so that its next refresh finds this one.
    func register(_ refresh: Refresh, of account: Account) { self.refreshes.withLock { $0[account] = refresh } }

    /// Waits until a refresh has ended, removes it, and returns its result.
    func finish(_ refresh: Refresh, of account: Account) async -> Result<OAuthSession.PublishedResult, any Error> {
        let result = await refresh.result
        self.refreshes.withLock { if $0[account] == refresh { $0[account] = nil } }
        return result
    }

    /// Waits until the late refresh of an account has ended, if there is one.
    func settle(_ account: Account) async {
        if let refresh = self[account] { _ = await self.finish(refresh, of: account) }
    }
}
