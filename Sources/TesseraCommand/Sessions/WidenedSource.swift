// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
package import Tessera

/// A session that may, for one call, go to more origins than it keeps.
package struct WidenedSource: AccessTokenSource {
    private let session: OAuthSession
    private let more: [OriginPattern]

    package init(session: OAuthSession, more: [OriginPattern]) {
        self.session = session
        self.more = more
    }

    package var authorizedOrigins: [OriginPattern] { self.session.authorizedOrigins + self.more }
    package func accessToken() async throws -> AccessToken { try await self.session.accessToken() }
    package func refused(_ token: AccessToken) async throws -> AccessToken { try await self.session.refused(token) }
}
#endif
