// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
public import TesseraJOSE

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
    /// - Throws: `missingMetadata` without an end-session endpoint, ``InvalidRequest`` for parameters that cannot be
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

    /// Judges a redirect, the whole URI as it arrived.
    ///
    /// - Returns: nil when the person is back from the provider; else why the redirect is not ours, and the wait goes on.
    /// - Throws: `OAuthError` where the provider said no, `redirectReuse` for the second redirect; both are final.
    public func receive(_ redirect: String) throws -> ProtocolViolation? {
        guard let redirectURI, let state else { return Self.notOurs(.redirectURI, "no redirect", "one") }
        let query: FormParameters
        switch redirectURI.parameters(of: redirect) {
        case .success(let parameters): query = parameters
        case .failure(let violation): return violation
        }
        guard let returned = query["state"], ConstantTime.equal(returned, state.withUnredacted { $0 }) else {
            let actual = query["state"] == nil ? "none" : "another state"
            return Self.notOurs(.state, "the state of this sign-out", actual)
        }
        guard self.claim() else {
            throw Self.notOurs(.redirectReuse, "one redirect, while the sign-out is open", nil)
        }
        if let code = query["error"] {
            throw OAuthError(
                OAuthError.Code(rawValue: code),
                errorDescription: query["error_description"],
                errorURI: query["error_uri"]
            )
            .without(CarriedSecrets(self.secrets + query.secrets))
        }
        return nil
    }

    /// Ends the wait: no redirect is accepted any more.
    public func close() { self.isOpen.withLock { $0 = false } }

    private func claim() -> Bool {
        self.isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
    }

    private static func notOurs(
        _ rule: ProtocolViolation.Rule,
        _ expected: String,
        _ actual: String?
    ) -> ProtocolViolation {
        let section = "OpenID Connect RP-Initiated Logout 1.0, section 3"
        return ProtocolViolation(rule, expected: expected, actual: actual, section: section)
    }
}

extension PendingLogout: CustomReflectable {
    /// A mirror without children: the URL has the ID token in the clear.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
