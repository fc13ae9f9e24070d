// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import TesseraJSON

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension JWK {
    static func text(_ name: String, in value: JSONValue) throws(ProtocolViolationError) -> String? {
        guard let member = value[name] else { return nil }
        guard let text = member.string else { throw Self.violation("\(name) as a string", member.description) }
        return text
    }

    static func operations(in value: JSONValue) throws(ProtocolViolationError) -> [String]? {
        guard let member = value["key_ops"] else { return nil }
        let operations = member.elements?.compactMap(\.string) ?? []
        guard operations.count == member.elements?.count else {
            throw Self.violation("key_ops as an array of strings", member.description)
        }
        return operations
    }

    static func material(
        _ keyType: String,
        _ curve: String,
        _ value: JSONValue
    ) throws(ProtocolViolationError) -> JWKMaterial {
        let key: JWKMaterial?
        switch keyType {
        case "RSA":
            let (modulus, exponent) = (try Self.number("n", in: value), try Self.number("e", in: value))
            key = try? JWKMaterial(modulus: modulus, exponent: exponent)
        case "EC" where ["P-256", "P-384", "P-521"].contains(curve):
            let (x, y) = (try Self.number("x", in: value), try Self.number("y", in: value))
            key = try? JWKMaterial(curve: curve, x: x, y: y)
        case "OKP" where curve == "Ed25519":
            let x = try Self.number("x", in: value)
            key = (try? Curve25519.Signing.PublicKey(rawRepresentation: x)).map(JWKMaterial.ed25519)
        default:
            throw Self.violation("a supported type of key", "\(keyType) \(curve)")
        }
        guard let key else {
            throw Self.violation("a usable public key (RSA from 2048 bits, or a point on the curve)", keyType)
        }
        return key
    }

    static func violation(_ expected: String, _ actual: String?) -> ProtocolViolationError {
        ProtocolViolationError(.jwkFormat, expected: expected, actual: actual, section: "RFC 7517, section 4")
    }

    private static func number(_ name: String, in value: JSONValue) throws(ProtocolViolationError) -> [UInt8] {
        guard let text = try Self.text(name, in: value), let bytes = Base64URL.decode(text), !bytes.isEmpty else {
            throw Self.violation("\(name) in base64url", nil)
        }
        return bytes
    }
}
