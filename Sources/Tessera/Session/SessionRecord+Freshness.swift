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
    package func freshToken(validFor validity: Duration, now: Date) -> AccessToken? {
        guard let tokens else { return nil }
        let current = CurrentToken(tokens, now: now, uptime: 0)
        return current.dueAt > 0 && current.expiredAt >= validity.nanoseconds ? current.token : nil
    }
}
