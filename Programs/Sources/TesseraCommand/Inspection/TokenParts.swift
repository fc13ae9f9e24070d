// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON

/// A JWT that was taken apart, and of which nothing was verified.
struct TokenParts: Sendable {
    let header: JSONValue
    /// nil in an encrypted token, or where the payload is no object.
    let claims: JSONValue?
    let isEncrypted: Bool

    /// Takes a text apart.
    ///
    /// - Throws: ``CommandError`` for a text that is not a JWT; nothing of the text is in the error.
    init(_ text: String) throws(CommandError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard text.utf8.count <= CompactJWS.maximumLength, parts.count == 3 || parts.count == 5,
            let header = Self.object(parts[0])
        else {
            throw CommandError(
                ProtocolViolationError.Rule.jwsFormat.rawValue,
                "The text is not a JWT: a JWT has 3 parts in base64url with dots between them, or 5 if it is encrypted",
                "Give an ID token, or an access token that is a JWT; many providers' access tokens are not."
            )
        }
        self.header = header
        self.isEncrypted = parts.count == 5
        self.claims = self.isEncrypted ? nil : Self.object(parts[1])
    }

    private static func object(_ part: String) -> JSONValue? {
        guard let bytes = Base64URL.decode(part), let value = try? JSONValue(parsing: bytes), value.kind == .object
        else { return nil }
        return value
    }
}
