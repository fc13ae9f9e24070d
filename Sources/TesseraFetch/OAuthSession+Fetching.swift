// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

extension OAuthSession {
    /// Calls with this session's tokens, over the network of its sign-in.
    public var fetcher: AuthorizedFetcher { AuthorizedFetcher(self, transport: self.transport) }
}
