// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraJOSE

/// The access token of a call, as it stands in its `Authorization` header: for resource servers.
///
/// - SeeAlso: [RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1),
///   [RFC 9449, section 7.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1)
public struct PresentedAccessToken: Sendable {
    /// How it is presented: by whoever has it, or with a proof that its key is there too.
    public let type: TokenType
    /// The token, not validated yet.
    public let token: Secret

    /// Reads the token of a call.
    ///
    /// - Throws: a refusal without a code for a call without a token, `invalid_request` for what is none.
    public init(_ request: HTTPRequest) throws(AccessTokenError) {
        let fields = request.headerFields[values: .authorization]
        guard let field = fields.first else { throw AccessTokenError.noToken }
        guard fields.count == 1 else { throw AccessTokenError.invalidRequest("There are two Authorization fields.") }
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        switch parts[0].lowercased() {
        case "bearer": self.type = .bearer
        case "dpop": self.type = .dpop
        default: throw AccessTokenError.noToken
        }
        guard parts.count == 2, Self.isToken(parts[1].trimmingSpaces()) else {
            throw AccessTokenError.invalidRequest("The Authorization field holds no token.")
        }
        self.token = Secret(String(parts[1].trimmingSpaces()))
    }

    // b64token = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
    private static func isToken(_ text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        let end = bytes.lastIndex { $0 != 0x3D } ?? -1
        return end >= 0 && bytes[...end].allSatisfy(\.isToken68Character)
    }
}

/// Why a resource server refuses a call, fit to be its answer.
///
/// - SeeAlso: [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750.html#section-3)
public struct AccessTokenError: ErrorGuidance, Sendable, Hashable {
    /// The HTTP status of the answer: 400, 401 or 403.
    public let status: Int
    /// `error`; nil where the call had no token, since nothing is said about the resource then.
    public let error: String?
    /// `error_description`: words for the developer of the client.
    public let serverDescription: String?
    /// `scope`: what the call needs.
    public let scopes: [Scope]

    /// The call has no token.
    public static let noToken = Self(status: 401, error: nil, serverDescription: nil, scopes: [])

    /// The call is malformed.
    public static func invalidRequest(_ words: String) -> Self {
        Self(status: 400, error: "invalid_request", serverDescription: words, scopes: [])
    }

    /// The token does not count.
    public static func invalidToken(_ words: String) -> Self {
        Self(status: 401, error: "invalid_token", serverDescription: words, scopes: [])
    }

    /// The token counts, and not for this.
    public static func insufficientScope(_ scopes: [Scope]) -> Self {
        Self(
            status: 403,
            error: "insufficient_scope",
            serverDescription: "The token was not given for this call.",
            scopes: scopes
        )
    }

    /// The refusal of a token that broke a rule; it names the rule and nothing of the token.
    public init(_ violation: ProtocolViolationError) {
        self = .invalidToken("The token breaks the rule \(violation.rule).")
    }

    private init(status: Int, error: String?, serverDescription: String?, scopes: [Scope]) {
        self.status = status
        self.error = error
        self.serverDescription = serverDescription
        self.scopes = scopes
    }

    /// The value of the answer's `WWW-Authenticate` field.
    ///
    /// - Parameters:
    ///   - scheme: `Bearer`, or `DPoP` where a proof was missing or wrong.
    ///   - realm: the part of the server.
    ///   - resourceMetadata: where the resource's metadata are (RFC 9728, section 5.1).
    /// - Returns: one challenge, with the values quoted.
    public func challenge(
        scheme: String = "Bearer",
        realm: String? = nil,
        resourceMetadata: Endpoint? = nil
    ) -> String {
        let parameters = [
            ("realm", realm), ("error", self.error), ("error_description", self.serverDescription),
            ("scope", self.scopes.isEmpty ? nil : self.scopes.map(\.rawValue).joined(separator: " ")),
            ("resource_metadata", resourceMetadata?.url),
        ]
        let texts = parameters.compactMap { name, value in value.map { "\(name)=\"\(Self.quoted($0))\"" } }
        return texts.isEmpty ? scheme : scheme + " " + texts.joined(separator: ", ")
    }

    /// The content of a quoted string; what RFC 6750, section 3, does not allow in one is a question mark.
    private static func quoted(_ text: String) -> String {
        String(
            decoding: text.utf8.map { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C ? $0 : 0x3F },
            as: UTF8.self
        )
    }

    /// An instruction for the client's developer.
    public var recoverySuggestion: String? { "Send the value of challenge() in the response's WWW-Authenticate field." }
    /// One line: the status and the reason.
    public var description: String {
        "Refused with HTTP \(self.status) (\(self.error ?? "no token"))\(self.serverDescription.map { ": " + $0 } ?? "")"
    }
}
