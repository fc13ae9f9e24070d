// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

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
