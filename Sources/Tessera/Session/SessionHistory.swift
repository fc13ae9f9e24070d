// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraOAuth
internal import TesseraSupport

/// The times and counts of a session's consents and refreshes, which can explain why it ended.
///
/// All times are wall-clock times.
public struct SessionHistory: Sendable, Hashable {
    /// The time of the user's last consent.
    public var consentedAt: Date
    /// The time at which the account was last selected as the default, or nil if it was never selected explicitly.
    public var selectedAt: Date?
    /// The time of the last refresh, or nil if there was none.
    public var lastRefreshAt: Date?
    /// The number of refreshes since the last consent.
    public var refreshCount: Int64
    /// The expiration time of the refresh token (`refresh_token_expires_in`), or nil if the provider did not report
    /// one.
    public var refreshTokenExpiresAt: Date?
    /// The time of the last refresh that returned a new refresh token, or nil if there was none.
    ///
    /// A provider that rotates refresh tokens revokes a client's access if the client uses an old one.
    ///
    /// - SeeAlso: [RFC 9700, section 4.14.2](https://www.rfc-editor.org/rfc/rfc9700.html#section-4.14.2)
    public var refreshTokenReplacedAt: Date?
    /// The client type, `installed` or `web`, or nil if it is unknown.
    public var clientType: String?
    /// The time at which the session ended, or nil if it is active.
    public var endedAt: Date?
    /// The reason the session ended, given as the name of a ``SessionEndedError/Code``.
    public var endReason: String?
    /// The number of consents for this account recorded in this store, including the last one.
    public var signInCount: Int64
    /// The number of seconds that this computer's clock was ahead of the provider's at the last response.
    ///
    /// Negative if it was behind, 0 if there was no measurable difference, and nil if the response contained no time.
    public var clockSkew: Int64?
    /// The provider's error that ended the session, if any.
    public var refusal: OAuthError? {
        get { self.boxedRefusal.value }
        set { self.boxedRefusal.value = newValue }
    }
    private var boxedRefusal = Boxed<OAuthError>()

    /// Creates a history that begins with a consent.
    public init(
        consentedAt: Date,
        selectedAt: Date? = nil,
        lastRefreshAt: Date? = nil,
        refreshCount: Int64 = 0,
        refreshTokenExpiresAt: Date? = nil,
        refreshTokenReplacedAt: Date? = nil,
        clientType: String? = nil,
        endedAt: Date? = nil,
        endReason: String? = nil,
        signInCount: Int64 = 1,
        clockSkew: Int64? = nil,
        refusal: OAuthError? = nil
    ) {
        self.consentedAt = consentedAt
        self.selectedAt = selectedAt
        self.lastRefreshAt = lastRefreshAt
        self.refreshCount = refreshCount
        self.refreshTokenExpiresAt = refreshTokenExpiresAt
        self.refreshTokenReplacedAt = refreshTokenReplacedAt
        self.clientType = clientType
        self.endedAt = endedAt
        self.endReason = endReason
        self.signInCount = signInCount
        self.clockSkew = clockSkew
        self.refusal = refusal
    }

    /// The time at which the user last chose this account, either by consenting or by selecting it.
    package var lastChosenAt: Date { max(self.consentedAt, self.selectedAt ?? .distantPast) }
}
