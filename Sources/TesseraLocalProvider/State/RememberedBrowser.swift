// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// Who signed in at one browser, and when, in seconds since 1970.
struct RememberedBrowser: Sendable {
    static let cookieName = "tessera_browser"
    /// How long a browser is remembered, in seconds.
    static let lifetime: Int64 = 86_400

    var accounts: [String: Int64] = [:]
}
#endif
