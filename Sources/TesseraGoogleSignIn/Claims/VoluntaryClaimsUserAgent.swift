// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraOAuth

/// A user agent that opens the page with voluntary claims in the form that Google's library uses.
///
/// Google's library requests such a claim as `{"essential":false}`. The other form, `null`, means the same.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.5.1](https://openid.net/specs/openid-connect-core-1_0.html#IndividualClaimsRequests)
struct VoluntaryClaimsUserAgent: UserAgent {
    private let userAgent: any UserAgent

    /// Creates a user agent that shows pages and receives redirects with another one.
    init(_ userAgent: any UserAgent) { self.userAgent = userAgent }

    func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        let receiver = try await self.userAgent.makeRedirectReceiver(responseMode: responseMode)
        return RedirectReceiver(
            redirectURI: receiver.redirectURI,
            present: { page in try await receiver.present(Self.page(page.absoluteString)) },
            // The sign-in has a much shorter deadline and cancels the wait.
            nextRedirect: { try await receiver.nextRedirect(until: RedirectDeadline(after: .seconds(86_400))) },
            close: { await receiver.close() }
        )
    }

    /// Returns an authorization URL whose `claims` parameter has each `null` replaced.
    private static func page(_ url: String) -> String {
        guard let begin = url.firstRange(of: "&claims=")?.upperBound else { return url }
        let end = url[begin...].firstIndex(of: "&") ?? url.endIndex
        let claims = url[begin..<end].replacing("%3Anull", with: "%3A%7B%22essential%22%3Afalse%7D")
        return "\(url[..<begin])\(claims)\(url[end...])"
    }
}
