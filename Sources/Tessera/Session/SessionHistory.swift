// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraOAuth
internal import TesseraSupport

/// When and how often: what explains a lost session later.
///
/// Times are those of the wall clock.
public struct SessionHistory: Sendable, Hashable {
    /// The last consent.
    public var consentedAt: Date
    /// When the account was last chosen to be the default one; nil while nothing but the consent chose it.
    public var selectedAt: Date?
    /// The last refresh, nil before the first.
    public var lastRefreshAt: Date?
    /// Refreshes since the last consent.
    public var refreshCount: Int64
    /// When the grant ends by time, where the provider says so (`refresh_token_expires_in`).
    public var refreshTokenExpiresAt: Date?
    /// The last time at which a refresh brought another refresh token than it was asked with, nil where none ever did.
    ///
    /// A provider that does so takes the grant away from whoever goes on with the token of before.
    ///
    /// - SeeAlso: [RFC 9700, section 4.14.2](https://www.rfc-editor.org/rfc/rfc9700.html#section-4.14.2)
    public var refreshTokenReplacedAt: Date?
    /// `installed` or `web`, where the caller knows.
    public var clientType: String?
    /// When the session ended, nil while it lives.
    public var endedAt: Date?
    /// Why it ended: a code of ``SessionEndedError``.
    public var endReason: String?
    /// Consents of this account that this store has seen, the last one included.
    public var signInCount: Int64
    /// By how many seconds the clock here was ahead of the provider's when it answered last; negative: behind.
    ///
    /// Nil where the provider did not say its time; 0 where no difference could be seen.
    public var clockSkew: Int64?
    /// What the provider said when it ended the session, where it did.
    public var refusal: OAuthError? {
        get { self.boxedRefusal.value }
        set { self.boxedRefusal.value = newValue }
    }
    private var boxedRefusal = Boxed<OAuthError>()

    /// A history that begins with a consent.
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

    /// The last time at which a person meant this account: by a consent, or by choosing it.
    package var lastChosenAt: Date { max(self.consentedAt, self.selectedAt ?? .distantPast) }
}
