// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// What can be opened in a browser, and may come back by a redirect.
public protocol OIDExternalUserAgentRequest {
    /// The page to open; nil where the provider has none for this.
    func externalUserAgentRequestURL() -> URL!

    /// The scheme of the redirect; nil where none is waited for.
    func redirectScheme() -> String!
}
