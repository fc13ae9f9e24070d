// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// What is known of a token's signature and claims.
enum TokenVerification: Sendable {
    /// Why nothing was verified.
    enum Reason: Sendable {
        case encrypted
        case nobodyNamed
    }

    case verified(keys: String, comparesAudience: Bool)
    /// A rule is broken; `keys` says whose were used, where it came to that.
    case broken(keys: String?, ProtocolViolationError)
    case unchecked(Reason)

    /// For programs.
    var word: String {
        switch self {
        case .verified: "verified"
        case .broken: "broken"
        case .unchecked(.encrypted): "encrypted"
        case .unchecked(.nobodyNamed): "unchecked"
        }
    }

    /// For people.
    var text: String {
        switch self {
        case .verified(let keys, true): "verified with the keys of \(keys)"
        case .verified(let keys, false):
            "verified with the keys of \(keys); for whom it is was not compared (--client-id)"
        case .broken(let keys?, let error) where error.rule == .jwsSignature: "not by the keys of \(keys)"
        case .broken(let keys?, _): "not to be trusted, by the keys of \(keys)"
        case .broken(nil, _): "not to be trusted"
        case .unchecked(.encrypted): "not checked: the token is encrypted (JWE), and only its receiver can read it"
        case .unchecked(.nobodyNamed): "not checked: name the issuer with --issuer"
        }
    }
}
