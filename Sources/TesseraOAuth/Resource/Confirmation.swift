// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON

/// The key that a token is bound to: whoever presents the token has to have it.
///
/// - SeeAlso: [RFC 7800, section 3](https://www.rfc-editor.org/rfc/rfc7800.html#section-3)
public struct Confirmation: Sendable, Hashable {
    /// `jkt`: the thumbprint of a DPoP key.
    ///
    /// - SeeAlso: [RFC 9449, section 6](https://www.rfc-editor.org/rfc/rfc9449.html#section-6)
    public let keyThumbprint: String?
    /// `x5t#S256`: the thumbprint of a certificate.
    ///
    /// - SeeAlso: [RFC 8705, section 3.1](https://www.rfc-editor.org/rfc/rfc8705.html#section-3.1)
    public let certificateThumbprint: String?
    /// Whether the token is bound in a way that this library does not know.
    public let hasOtherMethods: Bool

    /// Reads `cnf`; nil where there is none.
    init?(_ fields: JSONFields) throws(ProtocolViolationError) {
        guard let value = fields.present("cnf") else { return nil }
        let confirmation = try fields.child("cnf", value)
        self.keyThumbprint = try confirmation.nonEmptyString("jkt")
        self.certificateThumbprint = try confirmation.nonEmptyString("x5t#S256")
        let known = [self.keyThumbprint, self.certificateThumbprint].count { $0 != nil }
        self.hasOtherMethods = (value.members?.count ?? 0) > known
    }
}
