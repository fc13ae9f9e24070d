// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJOSE
internal import TesseraJSON

/// The parameters of an authorization request in a JWT that the client signs to protect them from changes in transit.
///
/// - SeeAlso: [RFC 9101, section 4](https://www.rfc-editor.org/rfc/rfc9101.html#section-4)
struct RequestObject: Sendable {
    let key: JWSSigningKey
    /// The lifetime of the JWT, in seconds.
    let lifetime: Int64

    /// The names of the JWT's own claims, which parameters cannot use.
    private static let claimNames: Set<String> = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]

    /// Creates a request object that is signed with the given key.
    ///
    /// - Throws: ``InvalidRequestError`` if the provider's metadata lists the supported algorithms and the key's
    ///   algorithm is not among them.
    init(_ key: JWSSigningKey, for metadata: ServerMetadata, lifetime: Duration) throws {
        if let algorithms = metadata.requestObjectSigningAlgValuesSupported,
            !algorithms.contains(key.algorithm.rawValue)
        {
            throw InvalidRequestError(
                "request",
                reason: "the provider does not accept request objects signed with \(key.algorithm)"
            )
        }
        self.key = key
        // The object is not needed after the authorization expires, and never for more than an hour.
        self.lifetime = min(lifetime.nanoseconds / 1_000_000_000, 3_600)
    }

    /// Returns a signed JWT with the current time and a new `jti`.
    func text(_ parameters: FormParameters, by client: RegisteredClient) throws -> String {
        if let name = parameters.parameters.map(\.name).first(where: Self.claimNames.contains) {
            throw InvalidRequestError(name, reason: "the name is reserved for a claim of the request object")
        }
        let now = Int64(client.runtime.now().timeIntervalSince1970)
        let claims = JSONNode.object(
            present: [
                "iss": .string(client.client.clientID), "aud": .string(client.metadata.issuer.url),
                // The server's clock may be slightly slow, and a time in its future would be rejected.
                "iat": .integer(now - 1), "nbf": .integer(now - 1), "exp": .integer(now - 1 + self.lifetime),
                "jti": .string(RandomText.make(client.runtime.randomBytes)),
            ],
            Self.members(parameters)
        )
        return try self.key.sign(payload: claims.serialized(), type: "oauth-authz-req+jwt")
    }

    /// Returns the parameters as claims: numbers and objects as JSON, repeated parameters as an array (section 4).
    private static func members(_ parameters: FormParameters) -> [JSONMember] {
        var seen: Set<String> = []
        return parameters.parameters.filter { seen.insert($0.name).inserted }
            .map { parameter in
                let values = parameters.values(parameter.name)
                let value: JSONNode =
                    switch parameter.name {
                    case "max_age", "claims", "authorization_details": Self.json(parameter.value)
                    default: values.count == 1 ? .string(parameter.value) : .array(values.map { .string($0) })
                    }
                return JSONMember(name: parameter.name, value: value)
            }
    }

    private static func json(_ text: String) -> JSONNode {
        (try? JSONValue(parsing: text)).map { .parsed($0) } ?? .string(text)
    }
}
