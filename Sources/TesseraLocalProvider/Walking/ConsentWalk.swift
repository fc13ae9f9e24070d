// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
public import TesseraOAuth

/// An automated user that completes the local provider's sign-in pages over HTTP, for tests and demos without a
/// display.
public struct ConsentWalk: Sendable {
    /// The email address of the account to choose, or `nil` for the first account on the page.
    public var email: String?
    /// The scopes to deselect on the consent page.
    public var deselectedScopes: Set<String>
    /// Whether to cancel instead of granting access.
    public var deniesAccess: Bool
    private let transport: any HTTPTransport

    /// Creates a walk that uses a transport with plain http permitted for loopback addresses.
    public init(
        transport: any HTTPTransport,
        email: String? = nil,
        deselectedScopes: Set<String> = [],
        deniesAccess: Bool = false
    ) {
        self.transport = transport
        self.email = email
        self.deselectedScopes = deselectedScopes
        self.deniesAccess = deniesAccess
    }

    /// Completes the sign-in pages, starting from an authorization URL, and returns the final redirect without
    /// following it.
    ///
    /// - Throws: ``ConsentWalkError`` if a page has no form, which is the case for error pages, or `TransportError`.
    public func redirect(from authorizationURL: String) async throws -> String {
        var (url, form) = (authorizationURL, FormParameters?.none)
        let origin = try Self.origin(authorizationURL)
        for _ in 0..<8 {
            let (response, page) = try await self.send(url, form)
            if let location = response.headerFields[.location], (300...399).contains(response.status.code) {
                let target = location.hasPrefix("/") ? origin + location : location
                guard target.hasPrefix(origin + "/") else { return target }
                (url, form) = (target, nil)
            } else {
                guard response.status.code == 200, let shown = ConsentForm(page) else {
                    throw ConsentWalkError(status: Int(response.status.code), heading: ConsentForm.heading(of: page))
                }
                (url, form) = (origin + shown.action, try self.response(shown))
            }
        }
        throw ConsentWalkError(status: 200, heading: "too many pages")
    }

    /// Requests the redirect URI as a browser would, and returns the page that the app shows.
    public func deliver(_ redirect: String) async throws -> (status: Int, page: String) {
        let (response, page) = try await self.send(redirect, nil)
        return (Int(response.status.code), page)
    }

    private func response(_ form: ConsentForm) throws -> FormParameters {
        var fields = FormParameters()
        fields.append("attempt", form.attempt)
        if self.deniesAccess {
            fields.append("action", "cancel")
        } else if form.accounts.isEmpty {
            for scope in form.scopes where !self.deselectedScopes.contains(scope) { fields.append("scope", scope) }
            fields.append("action", "allow")
        } else {
            guard let account = form.accounts.first(where: { self.email == nil || $0.email == self.email }) else {
                throw ConsentWalkError(status: 200, heading: "the account \(self.email ?? "") is missing")
            }
            fields.append("account", account.subject)
        }
        return fields
    }

    private func send(_ url: String, _ form: FormParameters?) async throws -> (HTTPResponse, String) {
        guard let parts = URIParts(url) else { throw TransportError(.invalidURL) }
        var request = HTTPRequest(
            method: form == nil ? .get : .post,
            scheme: parts.scheme,
            authority: parts.authority,
            path: parts.requestTarget
        )
        if form != nil { request.headerFields[.contentType] = "application/x-www-form-urlencoded" }
        let (response, body) = try await self.transport.send(request, body: form.map { HTTPBody($0.encoded) })
        return (response, String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self))
    }

    private static func origin(_ url: String) throws -> String {
        guard let parts = URIParts(url), let authority = parts.authority else { throw TransportError(.invalidURL) }
        return "\(parts.scheme)://\(authority)"
    }
}

/// An error thrown when the local provider shows an unexpected page, which is usually an error page.
public struct ConsentWalkError: ErrorGuidance, Sendable, Hashable {
    /// The page's HTTP status.
    public let status: Int
    /// The page's heading.
    public let heading: String

    /// The page's heading and status.
    public var description: String {
        "The sign-in stopped at a page of the provider: \(self.heading) [HTTP \(self.status)]"
    }
    /// An instruction for the developer.
    public var recoverySuggestion: String? { "Check the authorization request for the problem described by the page." }
}

struct ConsentForm {
    let action: String
    let attempt: String
    let accounts: [(subject: String, email: String)]
    let scopes: [String]

    /// Parses a page.
    ///
    /// Returns `nil` if the page has no form.
    init?(_ page: String) {
        guard let action = Self.texts(between: "action=\"", and: "\"", in: page).first,
            let attempt = Self.texts(between: "name=\"attempt\" value=\"", and: "\"", in: page).first
        else { return nil }
        self.action = action
        self.attempt = attempt
        self.scopes = Self.texts(between: "name=\"scope\" value=\"", and: "\"", in: page)
        self.accounts = Self.texts(between: "name=\"account\" ", and: "</button>", in: page)
            .compactMap { choice in
                guard let subject = Self.texts(between: "value=\"", and: "\"", in: choice).first,
                    let email = Self.texts(between: "<span class=\"soft\">", and: "<", in: choice).first
                else { return nil }
                return (subject, email)
            }
    }

    /// Returns a page's heading and the sentence below it.
    static func heading(of page: String) -> String {
        let texts =
            Self.texts(between: "<h1>", and: "</h1>", in: page)
            + Self.texts(between: "<p class=\"lead\">", and: "</p>", in: page)
        return texts.joined(separator: ": ")
    }

    /// The escape sequences of the pages, of which the ampersand's is replaced last.
    private static let escapes = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]

    /// Returns every piece of text between two markers.
    private static func texts(between start: String, and end: String, in page: String) -> [String] {
        page.split(separator: start, omittingEmptySubsequences: false).dropFirst()
            .compactMap { rest in
                rest.firstRange(of: end)
                    .map { end in
                        Self.escapes.reduce(String(rest[..<end.lowerBound])) { $0.replacing($1.0, with: $1.1) }
                    }
            }
    }
}
#endif
