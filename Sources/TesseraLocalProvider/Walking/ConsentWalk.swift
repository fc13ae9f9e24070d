// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
public import TesseraOAuth

/// Walks the local provider's pages as a person in a browser does, with real HTTP requests: for demos without a display
/// and for tests.
public struct ConsentWalk: Sendable {
    /// The email address of the account to choose; nil takes the first on the page.
    public var email: String?
    /// Scopes to untick on the consent page.
    public var unticked: Set<String>
    /// Whether to press Cancel in place of Allow.
    public var refuses: Bool
    private let transport: any HTTPTransport

    /// A walk over a network that allows plain http to loopback.
    public init(transport: any HTTPTransport, email: String? = nil, unticked: Set<String> = [], refuses: Bool = false) {
        self.transport = transport
        self.email = email
        self.unticked = unticked
        self.refuses = refuses
    }

    /// Goes from the authorization URL to the redirect that the provider sends the browser to in the end; the redirect
    /// is returned and not followed.
    ///
    /// - Throws: ``ConsentWalkError`` for a page that is no form, such as an error page; `TransportError`.
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
                (url, form) = (origin + shown.action, try self.answer(shown))
            }
        }
        throw ConsentWalkError(status: 200, heading: "page after page")
    }

    /// Requests a redirect as the browser does, which hands it to the program, and returns the page that the program
    /// shows.
    public func deliver(_ redirect: String) async throws -> (status: Int, page: String) {
        let (response, page) = try await self.send(redirect, nil)
        return (Int(response.status.code), page)
    }

    private func answer(_ form: ConsentForm) throws -> FormParameters {
        var answer = FormParameters()
        answer.append("attempt", form.attempt)
        if self.refuses {
            answer.append("action", "cancel")
        } else if form.accounts.isEmpty {
            for scope in form.scopes where !self.unticked.contains(scope) { answer.append("scope", scope) }
            answer.append("action", "allow")
        } else {
            guard let account = form.accounts.first(where: { self.email == nil || $0.email == self.email }) else {
                throw ConsentWalkError(status: 200, heading: "no account \(self.email ?? "")")
            }
            answer.append("account", account.subject)
        }
        return answer
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

/// The local provider showed a page that cannot be walked on from: an error page, mostly.
public struct ConsentWalkError: ErrorGuidance, Sendable, Hashable {
    /// The page's HTTP status.
    public let status: Int
    /// The page's heading.
    public let heading: String

    /// One line: what the page says.
    public var description: String { "The provider's page says: \(self.heading) [HTTP \(self.status)]" }
    /// An instruction for the developer.
    public var recoverySuggestion: String? { "Check the authorization request against the page's heading." }
}

struct ConsentForm {
    let action: String
    let attempt: String
    let accounts: [(subject: String, email: String)]
    let scopes: [String]

    /// Reads a page; nil where it has no form.
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

    /// What a page is headed with, and the sentence below.
    static func heading(of page: String) -> String {
        let texts =
            Self.texts(between: "<h1>", and: "</h1>", in: page)
            + Self.texts(between: "<p class=\"lead\">", and: "</p>", in: page)
        return texts.joined(separator: ": ")
    }

    /// Every text between two marks.
    ///
    /// The values on these pages need no unescaping but for `&amp;`.
    private static func texts(between start: String, and end: String, in page: String) -> [String] {
        page.split(separator: start, omittingEmptySubsequences: false).dropFirst()
            .compactMap { rest in
                rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]).replacing("&amp;", with: "&") }
            }
    }
}
#endif
