// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraOAuth

extension SessionRecord {
    /// The access token where nothing has to be done for it: it is not about to end, and is valid for `validity`.
    ///
    /// Nil for one that is bound to a key: it needs a proof for each request.
    public func freshToken(validFor validity: Duration, now: Date) -> AccessToken? {
        self.tokens?.freshToken(validFor: validity, isRenewable: self.tokens?.refreshToken != nil, now: now)
    }
}

extension TokenSet {
    /// The access token where it is not about to end, and is valid for `validity`; nil for one that is bound to a key.
    public func freshToken(validFor validity: Duration, isRenewable: Bool, now: Date) -> AccessToken? {
        guard self.tokenType == .bearer else { return nil }
        let current = CurrentToken<AccessToken>(self, dpop: nil, now: now, uptime: 0, isRenewable: isRenewable)
        return current.dueAt > 0 && current.expiredAt >= validity.nanoseconds ? current.token : nil
    }
}
