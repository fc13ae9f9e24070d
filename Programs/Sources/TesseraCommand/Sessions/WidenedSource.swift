// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera

/// A session, or the agent, whose tokens may, for one call, go to more origins than it keeps.
package struct WidenedSource: AccessTokenSource {
    private let source: any AccessTokenSource
    private let more: [OriginPattern]

    package init(_ source: any AccessTokenSource, more: [OriginPattern]) {
        self.source = source
        self.more = more
    }

    package var authorizedOrigins: [OriginPattern] { self.source.authorizedOrigins + self.more }
    package func accessToken() async throws -> AccessToken { try await self.source.accessToken() }
    package func refused(_ token: AccessToken) async throws -> AccessToken { try await self.source.refused(token) }
}
