// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
internal import TesseraSupport

/// One sign-out at the provider, from the URL to its one redirect.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, sections 2 and 3](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
public final class PendingLogout: Sendable {
    /// The URL to show in the person's browser.
    ///
    /// It holds the ID token, as the standard wants it: show it to nobody else, and put it in no log.
    public let logoutURL: String
    private let redirectURI: RedirectURI?
    private let state: Secret?
    private let secrets: [Secret?]
    private let isOpen = Mutex(true)

    /// Begins a sign-out.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - client: who asks, and where.
    /// - Throws: `missingMetadata` without an end-session endpoint, ``InvalidRequestError`` for parameters that cannot be
    ///   sent.
    public init(_ request: EndSessionRequest, by client: RegisteredClient) throws {
        let name = "end_session_endpoint"
        let endpoint = try client.metadata.require(\.endSessionEndpoint, name)
        self.redirectURI = request.postLogoutRedirectURI
        self.state = request.postLogoutRedirectURI.map { _ in
            request.state ?? Secret(RandomText.make(client.runtime.randomBytes))
        }
        let parameters = try request.parameters(clientID: client.client.clientID, state: self.state)
        self.secrets = parameters.secrets
        self.logoutURL = try endpoint.url(with: parameters, name: name)
    }

    /// Returns whether a response belongs to this sign-out; see ``mismatch(_:)``.
    public func matches(_ response: DeliveredResponse) -> Bool { self.mismatch(response) == nil }

    /// Returns why a response does not belong to this sign-out, or nil if it does.
    ///
    /// A response belongs to it if it arrived at its redirect URI, in the query, with its `state`. Nothing is changed.
    public func mismatch(_ response: DeliveredResponse) -> ProtocolViolationError? {
        do throws(ProtocolViolationError) {
            _ = try self.query(of: response)
            return nil
        } catch {
            return error
        }
    }

    /// Receives the redirect with which the user returns from the provider, once.
    ///
    /// - Throws: The violation of ``mismatch(_:)``, which leaves the sign-out open; `OAuthError` if the provider refused, and
    ///   `redirectReuse` for the second redirect: both are final.
    public func receive(_ response: DeliveredResponse) throws {
        let query = try self.query(of: response)
        guard self.claim() else {
            throw Self.violation(.redirectReuse, "one redirect, while the sign-out is open", nil)
        }
        guard let code = query["error"] else { return }
        throw OAuthError(
            OAuthError.Code(rawValue: code),
            serverDescription: query["error_description"],
            errorURI: query["error_uri"]
        )
        .without(CarriedSecrets(self.secrets + query.secrets))
    }

    private func query(of response: DeliveredResponse) throws(ProtocolViolationError) -> FormParameters {
        guard let redirectURI, let state else { throw Self.violation(.redirectURI, "no redirect", "one") }
        let query = try redirectURI.parameters(of: response, mode: .query)
        guard let returned = query["state"], ConstantTime.equal(returned, state.withUnredacted { $0 }) else {
            let actual = query["state"] == nil ? "none" : "another state"
            throw Self.violation(.state, "the state of this sign-out", actual)
        }
        return query
    }

    /// Ends the wait: no redirect is accepted any more.
    public func close() { self.isOpen.withLock { $0 = false } }

    private func claim() -> Bool {
        self.isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
    }

    private static func violation(
        _ rule: ProtocolViolationError.Rule,
        _ expected: String,
        _ actual: String?
    ) -> ProtocolViolationError {
        let section = "OpenID Connect RP-Initiated Logout 1.0, section 3"
        return ProtocolViolationError(rule, expected: expected, actual: actual, section: section)
    }
}

extension PendingLogout: CustomReflectable {
    /// A mirror without children: the URL has the ID token in the clear.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

/// What is asked of a provider's end-session endpoint: that the person be signed out there too.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, section 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
public struct EndSessionRequest: Sendable, Hashable {
    /// `id_token_hint`: the ID token of the session that ends; without one most providers ask the person first.
    public var idTokenHint: Secret?
    /// `post_logout_redirect_uri`: where the person comes back to, as it is registered; nil for nowhere.
    public var postLogoutRedirectURI: RedirectURI?
    /// `state`: one that the caller has sent already; nil is a random one.
    package var state: Secret?
    /// `logout_hint`: who signs out, where there is no ID token.
    public var logoutHint: String?
    /// `ui_locales`: languages of the provider's pages.
    public var uiLocales: [String]
    /// More parameters; none of those that this module writes itself.
    public var additionalParameters: [String: String]

    /// A request.
    public init(
        idTokenHint: Secret?,
        postLogoutRedirectURI: RedirectURI? = nil,
        logoutHint: String? = nil,
        uiLocales: [String] = [],
        additionalParameters: [String: String] = [:]
    ) {
        self.idTokenHint = idTokenHint
        self.postLogoutRedirectURI = postLogoutRedirectURI
        self.logoutHint = logoutHint
        self.uiLocales = uiLocales
        self.additionalParameters = additionalParameters
    }

    private static let reservedNames: Set<String> = [
        "id_token_hint", "client_id", "post_logout_redirect_uri", "state", "logout_hint", "ui_locales",
    ]

    /// The parameters, in the order of sending.
    func parameters(clientID: String, state: Secret?) throws -> FormParameters {
        if let name = self.additionalParameters.keys.sorted().first(where: Self.reservedNames.contains) {
            throw InvalidRequestError(name, reason: "this parameter is written by the request itself")
        }
        var form = FormParameters()
        form.append("id_token_hint", self.idTokenHint?.withUnredacted { $0 })
        form.append("client_id", clientID)
        form.append("post_logout_redirect_uri", self.postLogoutRedirectURI?.uri)
        form.append("state", state?.withUnredacted { $0 })
        form.append("logout_hint", self.logoutHint)
        form.append("ui_locales", self.uiLocales.isEmpty ? nil : self.uiLocales.joined(separator: " "))
        for (name, value) in self.additionalParameters.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return form
    }
}
