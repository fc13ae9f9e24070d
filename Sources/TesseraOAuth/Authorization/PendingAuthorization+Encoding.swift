// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraJOSE
internal import TesseraJSON

extension PendingAuthorization {
    /// The format version of ``encoded()``.
    private static let format: Int64 = 1
    private static let name = "pending authorization"

    /// The time at which the authorization expires.
    public var deadline: Date {
        let runtime = self.draft.client.runtime
        return runtime.now().addingTimeInterval(Double(self.draft.deadline - runtime.uptime()) / 1_000_000_000)
    }

    /// Returns the authorization as text that you can store until the browser returns.
    ///
    /// The browser can return to another process. The text contains `state`, `nonce`, the code verifier and any DPoP
    /// key, so encrypt it. A decoded authorization is independent of the original. To make sure that a redirect is
    /// accepted only once, your store must return the text only once. Values that only the authorization page needs are
    /// omitted.
    public func encoded() -> Secret {
        let binding = self.draft.binding
        let request = binding.request
        let acrValues = request.claims.essentialACRValues
        let node = JSONNode.object(present: [
            "format": .integer(Self.format), "issuer": .string(binding.issuer.url),
            "client_id": .string(self.draft.client.client.clientID),
            "token_endpoint": .string(binding.tokenEndpoint.url),
            "deadline": .integer(Int64(self.deadline.timeIntervalSince1970 * 1_000)),
            "url": .string(self.authorizationURL), "state": .string(self.draft.state.withUnredacted { $0 }),
            "code_verifier": .string(binding.codeVerifier.secret.withUnredacted { $0 }),
            "redirect_uri": .string(request.redirectURI.uri),
            "scopes": .array(request.scopes.map { .string($0.rawValue) }),
            "response_type": .string(request.responseType.rawValue),
            "resources": .array(request.resources.map { .string($0) }),
            "acr_values": .array(acrValues.map { .string($0) }),
            "auth_time": .bool(request.claims.requiresAuthenticationTime),
            "response_mode": (request.responseMode?.rawValue).map { .string($0) },
            "nonce": binding.nonce.map { .string($0.withUnredacted { $0 }) },
            "dpop_key": binding.dpopKey.map { .string($0.pem.withUnredacted { $0 }) },
            "dpop_algorithm": binding.dpopKey.map { .string($0.algorithm.rawValue) },
            "max_age": request.maxAge.map { .integer(Int64($0)) },
        ])
        return Secret(node.text())
    }

    /// Creates a pending authorization from the text that ``encoded()`` returned.
    ///
    /// - Parameters:
    ///   - text: The encoded authorization.
    ///   - client: The client that started the authorization, with the same provider.
    /// - Throws: ``InvalidRequestError`` if the text is not valid or belongs to another client or provider.
    public convenience init(decoding text: Secret, by client: RegisteredClient) throws {
        do {
            let fields = try JSONFields(
                parsing: text.withUnredacted { Array($0.utf8) },
                rule: .redirectFormat,
                section: "RFC 6749, section 4.1",
                subject: "the \(Self.name)"
            )
            guard try fields.integer("format") == Self.format else { throw Self.unreadable("format 1") }
            guard try fields.requiredString("issuer").isExactly(client.metadata.issuer.url),
                try fields.requiredString("client_id").isExactly(client.client.clientID)
            else { throw Self.unreadable("an authorization of this client") }
            let draft = try PreparedAuthorizationRequest(kept: fields, by: client)
            self.init(draft, AuthorizationPage(url: try fields.requiredString("url"), expiresAt: nil))
        } catch let violation as ProtocolViolationError {
            throw Self.unreadable(violation.expected)
        } catch is JWSSigningKeyError {
            throw Self.unreadable("a DPoP key")
        }
    }

    private static func unreadable(_ reason: String) -> InvalidRequestError {
        InvalidRequestError(Self.name, reason: "the stored text cannot be decoded (expected \(reason))")
    }
}

extension PreparedAuthorizationRequest {
    /// Creates a draft from a stored authorization.
    ///
    /// Its parameters have already been sent to the provider.
    fileprivate init(kept fields: JSONFields, by client: RegisteredClient) throws {
        var claims = ClaimsRequest()
        if let values = try fields.strings("acr_values"), !values.isEmpty {
            claims.idToken["acr"] = ClaimsRequest.Claim(isEssential: true, values: values.map { .string($0) })
        }
        if try fields.bool("auth_time") == true { claims.idToken["auth_time"] = .essential }
        let request = AuthorizationRequest(
            redirectURI: try RedirectURI(try fields.requiredString("redirect_uri")),
            scopes: try fields.scopeArray("scopes") ?? [],
            responseType: ResponseType(rawValue: try fields.requiredString("response_type")) ?? .code,
            responseMode: try fields.string("response_mode").flatMap { ResponseMode(rawValue: $0) },
            maxAge: try fields.integer("max_age").map { Int(clamping: $0) },
            claims: claims,
            resources: try fields.strings("resources") ?? []
        )
        let dpopKey = try fields.string("dpop_key")
            .map { [algorithm = try fields.string("dpop_algorithm")] in
                try DPoPKey(pem: Secret($0), algorithm: algorithm.map { JWSAlgorithm(rawValue: $0) })
            }
        let deadline = Double(try fields.integer("deadline") ?? 0) / 1_000
        // Convert the stored time to this process's monotonic clock. Limit it to one day, because it can have any
        // value.
        let remaining = min(max(deadline - client.runtime.now().timeIntervalSince1970, 0), 86_400)
        self.client = client
        self.binding = AuthorizationBinding(
            issuer: client.metadata.issuer,
            tokenEndpoint: try Endpoint(
                try fields.requiredString("token_endpoint"),
                name: "token_endpoint",
                insecure: client.insecure
            ),
            redirectURI: request.redirectURI,
            codeVerifier: CodeVerifier(Secret(try fields.requiredString("code_verifier"))),
            nonce: try fields.string("nonce").map { Secret($0) },
            dpopKey: dpopKey,
            request: request
        )
        self.state = Secret(try fields.requiredString("state"))
        self.deadline = client.runtime.uptime() &+ Int64(remaining * 1_000_000_000)
        self.endpoint = try client.metadata.require(\.authorizationEndpoint, "authorization_endpoint")
        self.parameters = FormParameters()
        self.requestObject = nil
    }
}
