// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJOSE
internal import TesseraJSON

/// The parameters of an authorization request as a token that the client signs, so that nobody on the way can change
/// them.
///
/// - SeeAlso: [RFC 9101, section 4](https://www.rfc-editor.org/rfc/rfc9101.html#section-4)
struct RequestObject: Sendable {
    let key: JWSSigningKey
    /// In seconds.
    let lifetime: Int64

    /// Names that a token uses for itself.
    private static let claimNames: Set<String> = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]

    /// A request object by this key.
    ///
    /// - Throws: ``InvalidRequestError`` where the provider announces its algorithms and the key's is not among them.
    init(_ key: JWSSigningKey, for metadata: ServerMetadata, lifetime: Duration) throws {
        if let algorithms = metadata.requestObjectSigningAlgValuesSupported,
            !algorithms.contains(key.algorithm.rawValue)
        {
            throw InvalidRequestError(
                "request",
                reason: "the provider takes no request object signed by \(key.algorithm)"
            )
        }
        self.key = key
        // A longer life would serve nobody: the attempt is over by then.
        self.lifetime = min(lifetime.nanoseconds / 1_000_000_000, 3_600)
    }

    /// The token; each time another one, since it names its own time.
    func text(_ parameters: FormParameters, by client: RegisteredClient) throws -> String {
        if let name = parameters.parameters.map(\.name).first(where: Self.claimNames.contains) {
            throw InvalidRequestError(name, reason: "the request object has a claim of this name")
        }
        let now = Int64(client.runtime.now().timeIntervalSince1970)
        let claims = JSONNode.object(
            present: [
                "iss": .string(client.client.clientID), "aud": .string(client.metadata.issuer.url),
                "iat": .integer(now), "nbf": .integer(now), "exp": .integer(now + self.lifetime),
                "jti": .string(RandomText.make(client.runtime.randomBytes)),
            ],
            Self.members(parameters)
        )
        return try self.key.sign(payload: claims.serialized(), type: "oauth-authz-req+jwt")
    }

    /// Section 4: numbers and objects are themselves and no texts; a parameter that is there twice is a list.
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
