// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// One challenge of a `WWW-Authenticate` header.
///
/// - SeeAlso: [RFC 9110, section 11.6.1](https://www.rfc-editor.org/rfc/rfc9110.html#section-11.6.1)
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme, as sent; compare without case.
    public let scheme: String
    /// The one token of a scheme that has one instead of parameters.
    public let token68: String?
    /// Parameters by lower-case name; of equal names the first counts.
    public let parameters: [String: String]

    /// Reads a field value, which may hold several challenges; empty for anything that is none.
    ///
    /// Never traps.
    public static func parse(_ field: String) -> [AuthenticationChallenge] {
        var scanner = ChallengeScanner(Array(field.utf8.prefix(16_384)))
        var challenges: [AuthenticationChallenge] = []
        scanner.skip { $0.isSpace || $0 == 0x2C }
        while let scheme = scanner.token() {
            guard scanner.atEnd || scanner.peekIs(0x2C) || scanner.skip({ $0.isSpace }) > 0 else { return challenges }
            let token68 = scanner.token68()
            var parameters: [String: String] = [:]
            while token68 == nil {
                scanner.skip { $0.isSpace || $0 == 0x2C }
                let start = scanner.position
                guard let name = scanner.token()?.lowercased(), let value = scanner.parameterValue() else {
                    scanner.position = start
                    break
                }
                if parameters[name] == nil { parameters[name] = value }
            }
            challenges.append(Self(scheme: scheme, token68: token68, parameters: parameters))
            scanner.skip { $0.isSpace || $0 == 0x2C }
        }
        return challenges
    }
}
