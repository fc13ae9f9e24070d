// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
internal import TesseraOAuth

extension SessionRecord {
    /// The access token where nothing has to be done for it: it is not about to end, and is valid for `validity`.
    ///
    /// Nil for one that is bound to a key: it needs a proof for each request.
    package func freshToken(validFor validity: Duration, now: Date) -> AccessToken? {
        guard let tokens, tokens.tokenType == .bearer else { return nil }
        let current = CurrentToken(tokens, dpop: nil, now: now, uptime: 0)
        return current.dueAt > 0 && current.expiredAt >= validity.nanoseconds ? current.token : nil
    }
}
