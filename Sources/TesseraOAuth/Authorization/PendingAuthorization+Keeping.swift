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
    /// The version of the text that ``encoded()`` writes.
    private static let format: Int64 = 1
    private static let name = "pending authorization"

    /// When the attempt is over, by the wall clock.
    public var deadline: Date {
        let runtime = self.draft.client.runtime
        return runtime.now().addingTimeInterval(Double(self.draft.deadline - runtime.uptime()) / 1_000_000_000)
    }

    /// The attempt as text, to be kept until the browser comes back, which may find another process of the program.
    ///
    /// `state`, `nonce`, the code verifier and a DPoP key are in it: encrypt it, and give it out once. An attempt that is
    /// read back knows nothing of the one that it was made of: that a redirect is taken only once is then up to whoever
    /// keeps the text. What only the provider's page needed is left out.
    public func encoded() -> Secret {
        let binding = self.draft.binding
        let request = binding.request
        let acrValues = request.claims.essentialACRValues
        var members: [JSONMember] = [
            JSONMember(name: "format", value: .integer(Self.format)),
            JSONMember(name: "issuer", value: .string(binding.issuer.url)),
            JSONMember(name: "client_id", value: .string(self.draft.client.client.clientID)),
            JSONMember(name: "token_endpoint", value: .string(binding.tokenEndpoint.url)),
            JSONMember(name: "deadline", value: .integer(Int64(self.deadline.timeIntervalSince1970 * 1_000))),
            JSONMember(name: "url", value: .string(self.authorizationURL)),
            JSONMember(name: "state", value: .string(self.draft.state.withUnredacted { $0 })),
            JSONMember(name: "code_verifier", value: .string(binding.codeVerifier.secret.withUnredacted { $0 })),
            JSONMember(name: "redirect_uri", value: .string(request.redirectURI.uri)),
            JSONMember(name: "scopes", value: .array(request.scopes.map { .string($0.rawValue) })),
            JSONMember(name: "response_type", value: .string(request.responseType.rawValue)),
            JSONMember(name: "resources", value: .array(request.resources.map { .string($0) })),
            JSONMember(name: "acr_values", value: .array(acrValues.map { .string($0) })),
            JSONMember(name: "auth_time", value: .bool(request.claims.requiresAuthenticationTime)),
        ]
        func append(_ name: String, _ text: String?) {
            if let text { members.append(JSONMember(name: name, value: .string(text))) }
        }
        append("response_mode", request.responseMode?.rawValue)
        append("nonce", binding.nonce?.withUnredacted { $0 })
        append("dpop_key", binding.dpopKey?.pem.withUnredacted { $0 })
        append("dpop_algorithm", binding.dpopKey?.algorithm.rawValue)
        if let maxAge = request.maxAge { members.append(JSONMember(name: "max_age", value: .integer(Int64(maxAge)))) }
        return Secret(JSONNode.object(members).text())
    }

    /// Reads an attempt that was kept: open, as if it had been begun here.
    ///
    /// - Parameters:
    ///   - text: what ``encoded()`` wrote.
    ///   - client: the client that began it, at the same provider.
    /// - Throws: ``InvalidRequestError`` for a text that is none, for another client's attempt, and another provider's.
    public convenience init(decoding text: Secret, by client: RegisteredClient) throws {
        let fields: JSONFields
        do {
            fields = try JSONFields(
                parsing: text.withUnredacted { Array($0.utf8) },
                rule: .redirectFormat,
                section: "RFC 6749, section 4.1",
                subject: "the \(Self.name)"
            )
            guard try fields.integer("format") == Self.format else { throw Self.unreadable("another format") }
            guard try fields.requiredString("issuer").isExactly(client.metadata.issuer.url),
                try fields.requiredString("client_id").isExactly(client.client.clientID)
            else { throw Self.unreadable("another client began it") }
        } catch let violation as ProtocolViolationError {
            throw Self.unreadable(violation.expected)
        }
        do {
            let draft = try AuthorizationDraft(kept: fields, by: client)
            self.init(draft, AuthorizationPage(url: try fields.requiredString("url"), expiresAt: nil))
        } catch let violation as ProtocolViolationError {
            throw Self.unreadable(violation.expected)
        }
    }

    private static func unreadable(_ reason: String) -> InvalidRequestError {
        InvalidRequestError(Self.name, reason: "it cannot be read back: \(reason)")
    }
}

extension AuthorizationDraft {
    /// An attempt whose parameters have reached the provider.
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
        // By this process's own clock that never jumps, and never longer than a day: a kept time may be any.
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
