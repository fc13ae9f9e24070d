// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Synchronization
internal import TesseraJOSE

/// One attempt to authorize, from the request to its one redirect: binds issuer, endpoints, `state`, `nonce`, code
/// verifier, redirect URI and deadline.
///
/// Only it can turn a redirect into a code, and only once.
///
/// - SeeAlso: [RFC 9700, sections 2.1 and 4.4](https://www.rfc-editor.org/rfc/rfc9700.html#section-2.1)
public final class PendingAuthorization: Sendable {
    /// The URL to show in the person's browser.
    ///
    /// It holds `state` and `nonce`: show it to nobody else.
    public let authorizationURL: String
    /// The provider that was asked.
    public let issuer: Issuer
    /// What was asked for.
    public let request: AuthorizationRequest
    let binding: AuthorizationBinding
    let state: Secret
    let issParameterSupported: Bool
    let deadline: Int64
    private let isOpen = Mutex(true)

    /// Begins an attempt.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - metadata: the provider's endpoints.
    ///   - client: who asks.
    ///   - runtime: supplies randomness and the clock of the deadline.
    ///   - lifetime: how long the redirect may take.
    /// - Throws: `missingMetadata` without the endpoints, `codeChallengeMethod` where the provider's metadata excludes
    ///   S256, ``InvalidRequest`` for parameters that cannot be sent.
    public init(
        _ request: AuthorizationRequest,
        metadata: ServerMetadata,
        client: OAuthClient,
        runtime: OAuthRuntime,
        lifetime: Duration = .seconds(600)
    ) throws {
        let endpoint = try metadata.require(\.authorizationEndpoint, "authorization_endpoint")
        let tokenEndpoint = try metadata.require(\.tokenEndpoint, "token_endpoint")
        // RFC 9700, section 2.1.1: never plain. Where the metadata is silent, S256 is sent all the same.
        if let methods = metadata.codeChallengeMethodsSupported, !methods.contains("S256") {
            throw ProtocolViolation(
                .codeChallengeMethod,
                expected: "S256 in code_challenge_methods_supported",
                actual: methods.joined(separator: " "),
                section: "RFC 7636, section 4.2; RFC 9700, section 2.1.1"
            )
        }
        let codeVerifier = CodeVerifier(randomBytes: runtime.randomBytes)
        let state = Secret(RandomText.make(runtime.randomBytes))
        let nonce = request.asksForIDToken ? Secret(RandomText.make(runtime.randomBytes)) : nil
        let parameters = try request.parameters(
            clientID: client.clientID,
            state: state,
            nonce: nonce,
            codeVerifier: codeVerifier
        )
        self.authorizationURL = try Self.url(endpoint, parameters)
        self.issuer = metadata.issuer
        self.request = request
        self.state = state
        self.issParameterSupported = metadata.authorizationResponseIssParameterSupported
        self.binding = AuthorizationBinding(
            issuer: metadata.issuer,
            tokenEndpoint: tokenEndpoint,
            redirectURI: request.redirectURI,
            codeVerifier: codeVerifier,
            nonce: nonce,
            request: request
        )
        self.deadline = runtime.uptime() &+ lifetime.nanoseconds
    }

    /// Ends the attempt: no redirect is accepted any more.
    public func close() { self.isOpen.withLock { $0 = false } }

    /// True for the first caller only.
    func claim() -> Bool {
        self.isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
    }

    /// The endpoint with the parameters behind those that it has: RFC 6749, section 3.1 says that its query is kept.
    private static func url(_ endpoint: Endpoint, _ parameters: FormParameters) throws -> String {
        guard let query = endpoint.parts.query else { return endpoint.url + "?" + parameters.encoded }
        let names: Set<String>
        do {
            names = Set(try FormParameters(decoding: query).parameters.map(\.name))
        } catch {
            throw ProtocolViolation(
                .endpoint,
                expected: "authorization_endpoint with a form-encoded query",
                actual: error.rawValue,
                section: "RFC 6749, section 3.1"
            )
        }
        if let twice = parameters.parameters.first(where: { names.contains($0.name) }) {
            throw InvalidRequest(twice.name, reason: "the authorization endpoint's own query has this parameter too")
        }
        return endpoint.url + (query.isEmpty ? "" : "&") + parameters.encoded
    }
}

extension PendingAuthorization: CustomReflectable {
    /// A mirror without children: the authorization URL has `state` and `nonce` in the clear.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
