// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A stub of the google-auth-library-swift API that the guides call, so that their code compiles.
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
