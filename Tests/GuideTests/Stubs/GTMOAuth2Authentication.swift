// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A stub of the gtm-oauth2 API that the guides call, so that their code compiles.
///
/// - SeeAlso: [gtm-oauth2](https://github.com/google/gtm-oauth2)
final class GTMOAuth2Authentication: Sendable {
    var canAuthorize: Bool { false }
    var userEmail: String? { nil }

    func authorizeRequest(_ request: NSMutableURLRequest, completionHandler: @escaping ((any Error)?) -> Void) {}
}
