// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Somebody else's API, declared for the guides' code to compile: gtm-oauth2, as far as they call it.
///
/// It does nothing.
///
/// - SeeAlso: [gtm-oauth2](https://github.com/google/gtm-oauth2)
final class GTMOAuth2Authentication: Sendable {
    var canAuthorize: Bool { false }
    var userEmail: String? { nil }

    func authorizeRequest(_ request: NSMutableURLRequest, completionHandler: @escaping ((any Error)?) -> Void) {}
}
