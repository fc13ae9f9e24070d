// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

extension OAuthSession {
    /// Calls APIs with this session's tokens, over the transport of its sign-in.
    public var fetcher: AuthorizedFetcher { self.fetcher(settings: FetchSettings()) }

    /// Returns a fetcher with this session's tokens, over the transport of its sign-in.
    public func fetcher(settings: FetchSettings) -> AuthorizedFetcher {
        AuthorizedFetcher(self, runtime: self.runtime, settings: settings)
    }
}
