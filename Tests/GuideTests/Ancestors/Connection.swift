// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Somebody else's API, declared for the guides' code to compile: google-auth-library-swift, as far as they call it.
///
/// It does nothing.
///
/// - SeeAlso: [google-auth-library-swift](https://github.com/googleapis/google-auth-library-swift)
final class Connection {
    init(provider: BrowserTokenProvider) throws {}

    func performRequest(
        method: String,
        urlString: String,
        callback: @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) throws {}
}
