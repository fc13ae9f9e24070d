// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
public import Foundation
internal import TesseraJOSE
internal import TesseraOAuth

/// Encodings and random values that the OAuth protocol uses.
public final class OIDTokenUtilities: NSObject {
    private override init() {}

    /// Returns data in base64url without padding.
    ///
    /// - SeeAlso: [RFC 7515, section 2](https://www.rfc-editor.org/rfc/rfc7515.html#section-2)
    public class func encodeBase64urlNoPadding(_ data: Data) -> String { Base64URL.encode(Array(data)) }

    /// Returns `size` random bytes in base64url, which is suitable as a state, a nonce or a code verifier.
    ///
    /// The result is never nil. It is optional for compatibility with AppAuth.
    public class func randomURLSafeString(withSize size: UInt) -> String? {
        Base64URL.encode(SystemRandomBytes.make(Int(size)))
    }

    /// Returns the SHA-256 hash of a string in UTF-8.
    public class func sha256(_ inputString: String) -> Data { Data(SHA256.hash(data: Data(inputString.utf8))) }

    /// Returns a text that can be logged in place of a secret.
    ///
    /// AppAuth's text contains the secret's first six characters. This one contains none.
    ///
    /// - Returns: `[redacted]`, or nil for nil. An empty string stays empty.
    public class func redact(_ inputString: String?) -> String? {
        inputString.map { $0.isEmpty ? "" : "[redacted]" }
    }

    /// Returns a string in form encoding, in which a space is `+`, and letters, digits and `*-._` stand for themselves.
    ///
    /// - SeeAlso: [RFC 6749, appendix B](https://www.rfc-editor.org/rfc/rfc6749.html#appendix-B)
    public class func formUrlEncode(_ inputString: String) -> String {
        FormParameters.encode(inputString)
            .replacingOccurrences(of: "%2A", with: "*")
            .replacingOccurrences(of: "~", with: "%7E")
    }
}
