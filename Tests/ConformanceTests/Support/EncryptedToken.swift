// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// Tokens in the format of a JWE, whose content is only encoded.
///
/// Tessera does not decrypt tokens, so the encryption itself makes no difference.
enum EncryptedToken {
    private struct UnsupportedAlgorithm: Error {}

    /// Returns a JWE that contains a signed token.
    static func encrypt(_ token: String, algorithm: String) -> String {
        let header = #"{"alg":"\#(algorithm)","enc":"A256GCM"}"#
        return [header, "key", "iv", token, "tag"].map { Base64URL.encode($0.utf8) }.joined(separator: ".")
    }

    /// Returns the signed token in a JWE that is encrypted with RSA-OAEP, the only algorithm that is accepted.
    static func decrypt(_ token: Secret) throws -> Secret {
        let parts = token.withUnredacted { $0.split(separator: ".").map { Base64URL.decode(String($0)) ?? [] } }
        let header = try JSONValue(parsing: parts[0])
        guard header["alg"]?.string == "RSA-OAEP", header["enc"]?.string == "A256GCM" else {
            throw UnsupportedAlgorithm()
        }
        return Secret(String(decoding: parts[3], as: UTF8.self))
    }
}

extension String {
    /// Returns a token with the algorithm `none` and without a signature.
    static func unsigned(_ claims: [UInt8]) -> String {
        Base64URL.encode(#"{"alg":"none"}"#.utf8) + "." + Base64URL.encode(claims) + "."
    }
}

extension Behavior.Members {
    /// Sets a claim to the time in another claim, plus a number of seconds.
    mutating func add(_ seconds: Int64, to name: String, as result: String) {
        guard case .integer(let time) = self[name] else { return }
        self[result] = .integer(time + seconds)
    }
}
