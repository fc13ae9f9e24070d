// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension ProviderState {
    /// The claim `picture`.
    func pictureURL(of account: LocalProviderAccount) -> String { self.baseURL + Self.picturePath(of: account) }

    static func picturePath(of account: LocalProviderAccount) -> String {
        "/avatars/\(account.subject.percentEncoded).svg"
    }

    /// The still encoded subject whose picture a path names.
    static func avatarSubject(_ path: String) -> String? {
        guard path.hasPrefix("/avatars/"), path.hasSuffix(".svg") else { return nil }
        return String(path.dropFirst("/avatars/".count).dropLast(".svg".count))
    }

    /// A disc with the account's initials.
    func avatar(_ encodedSubject: String) -> EndpointResponse {
        guard let account = self.options.accounts.first(where: { $0.subject.percentEncoded == encodedSubject }) else {
            return .text("Nobody has this picture.", status: .notFound)
        }
        let initials = [account.givenName, account.familyName].compactMap(\.first).map(String.init).joined()
        let colours = ["#0d6a62", "#7a4b9a", "#a14a32", "#2f5d9b", "#6b6a1f", "#8a3a5e"]
        let colour = colours[account.subject.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % colours.count]
        return Self.image(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="\(colour)"/>\
            <text x="48" y="49" text-anchor="middle" dominant-baseline="central" fill="#ffffff" font-size="38" \
            font-weight="600" font-family="system-ui, DejaVu Sans, sans-serif">\(initials)</text></svg>
            """
        )
    }

    /// The icon of the provider's pages.
    func icon() -> EndpointResponse { Self.image(Page.mark) }

    private static func image(_ markup: HTML) -> EndpointResponse {
        var response = EndpointResponse(.ok, content: .bytes(Array(markup.text.utf8)))
        response.headers[.contentType] = "image/svg+xml"
        response.headers[.cacheControl] = "public, max-age=3600"
        response.headers[.contentSecurityPolicy] = "default-src 'none'"
        return response
    }
}
#endif
