// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// An answer as a fetcher keeps it.
struct FetchedAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: Data

    /// What a status outside 200…299 means to the caller.
    var error: (any Error)? {
        guard !(200...299).contains(self.status) else { return nil }
        var userInfo: [String: Any] = [kGTMSessionFetcherStatusDataKey: self.body]
        userInfo[kGTMSessionFetcherStatusDataContentTypeKey] = self.headers["Content-Type"]
        userInfo[NSLocalizedDescriptionKey] = "The server answered \(self.status)."
        return NSError(domain: kGTMSessionFetcherStatusDomain, code: self.status, userInfo: userInfo)
    }
}
