// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

extension OAuthSession {
    /// Calls with this session's tokens, over the network of its sign-in.
    public var fetcher: AuthorizedFetcher { self.fetcher(settings: FetchSettings()) }

    /// Calls with this session's tokens, over the network of its sign-in, made as `settings` say.
    public func fetcher(settings: FetchSettings) -> AuthorizedFetcher {
        AuthorizedFetcher(self, runtime: self.runtime, settings: settings)
    }
}
