// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
internal import TesseraSupport

/// A sign-out at the provider that is waiting for its redirect.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, sections 2 and 3](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
public final class PendingLogout: Sendable {
    /// The URL to open in the user's browser.
    ///
    /// The URL contains the ID token, as the standard requires. Do not show the URL to others or log it.
    public let logoutURL: String
    private let redirectURI: RedirectURI?
    private let state: Secret?
    private let secrets: [Secret?]
    private let isOpen = Mutex(true)

    /// Creates a sign-out and its URL.
    ///
    /// - Parameters:
    ///   - request: The parameters of the sign-out.
    ///   - client: The client that signs the user out, along with its provider's metadata.
    /// - Throws: `ProtocolViolationError` with `missingMetadata` if the provider has no end-session endpoint, or
    ///   ``InvalidRequestError`` if a parameter cannot be sent.
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

    /// Returns whether a response belongs to this sign-out.
    ///
    /// See ``mismatch(_:)`` for the rules.
    public func matches(_ response: DeliveredResponse) -> Bool { self.mismatch(response) == nil }

    /// Returns the reason why a response does not belong to this sign-out, or nil if it does.
    ///
    /// A response belongs to the sign-out if it arrived at the redirect URI and its query contains the expected
    /// `state`. This method does not change the sign-out.
    public func mismatch(_ response: DeliveredResponse) -> ProtocolViolationError? {
        do throws(ProtocolViolationError) {
            _ = try self.query(of: response)
            return nil
        } catch {
            return error
        }
    }

    /// Accepts the redirect that returns the user from the provider.
    ///
    /// - Throws: The error that ``mismatch(_:)`` returns, in which case the sign-out remains open. Any other error is
    ///   final: `OAuthError` if the provider denied the request, or `ProtocolViolationError` with `redirectReuse` if a
    ///   redirect has already been accepted or the sign-out is closed.
    public func receive(_ response: DeliveredResponse) throws {
        let query = try self.query(of: response)
        guard self.claim() else {
            throw Self.violation(.redirectReuse, "a single redirect while the sign-out is open", nil)
        }
        guard let code = query["error"] else { return }
        throw OAuthError(
            OAuthError.Code(rawValue: code),
            serverDescription: query["error_description"],
            errorURI: query["error_uri"]
        )
        .without(ExchangeSecrets(self.secrets + query.secrets))
    }

    private func query(of response: DeliveredResponse) throws(ProtocolViolationError) -> FormParameters {
        guard let redirectURI, let state else { throw Self.violation(.redirectURI, "no redirect", "a redirect") }
        let query = try redirectURI.parameters(of: response, mode: .query)
        guard let returned = query["state"], ConstantTime.equal(returned, state.withUnredacted { $0 }) else {
            let actual = query["state"] == nil ? "none" : "another state"
            throw Self.violation(.state, "the state of this sign-out", actual)
        }
        return query
    }

    /// Closes the sign-out so that it rejects any redirect.
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
    /// A mirror without children, because the URL contains the ID token in plaintext.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

/// The parameters of a request to sign the user out at the provider's end-session endpoint.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, section 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
public struct EndSessionRequest: Sendable, Hashable {
    /// The ID token for the session to end (`id_token_hint`).
    ///
    /// If it is missing, most providers ask the user to confirm.
    public var idTokenHint: Secret?
    /// The registered URI that the user returns to (`post_logout_redirect_uri`), or nil for no redirect.
    public var postLogoutRedirectURI: RedirectURI?
    /// A `state` that the caller has already sent, or nil for a random value.
    package var state: Secret?
    /// The user to sign out (`logout_hint`), for use if there is no ID token.
    public var logoutHint: String?
    /// The preferred languages for the provider's pages (`ui_locales`).
    public var uiLocales: [String]
    /// Additional parameters, which must not include parameters that the library sets.
    public var additionalParameters: [String: String]

    /// Creates a request.
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

    /// Returns the parameters in the order in which they are sent.
    func parameters(clientID: String, state: Secret?) throws -> FormParameters {
        if let name = self.additionalParameters.keys.sorted().first(where: Self.reservedNames.contains) {
            throw InvalidRequestError(name, reason: "this parameter is set by the library")
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
