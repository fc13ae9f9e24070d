// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// Tokens that the provider has issued and that could not be saved.
///
/// They are retained after the program has released their session, because the provider may have replaced the refresh
/// token in the store. The next refresh of the account saves them before it uses them.
final class UnsavedTokens: Sendable {
    struct Item: Sendable {
        let record: SessionRecord
        /// The refresh token for which the provider issued the tokens.
        let usedRefreshToken: Secret
        /// The mark of the refresh that obtained the tokens.
        let mark: RefreshMark
        /// The access token with its deadlines, or nil if the record lacks the key that the token is bound to.
        let current: CurrentToken<AccessToken>?
    }

    private let items = Mutex<[Account: Item]>([:])

    /// The tokens of an account.
    ///
    /// They are changed while the account is locked, or by a refresh whose response arrives after the lock was released.
    subscript(_ account: Account) -> Item? {
        get { self.items.withLock { $0[account] } }
        set { self.items.withLock { $0[account] = newValue } }
    }

    /// The records with these tokens.
    var records: [SessionRecord] { self.items.withLock { $0.values.map(\.record) } }
}
