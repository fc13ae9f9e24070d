// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraOAuth

/// Claims that the program requires of ID tokens, by name.
struct RequiredClaims: Sendable {
    let values: [String: String]

    init(_ values: [String: String]) { self.values = values }

    /// A claim with another value than the required one.
    struct Mismatch: Sendable {
        let name: String
        let expected: String
        /// What the token has, made printable.
        let actual: String

        var text: String { "\(self.name) should be \(self.expected) and is \(self.actual)" }
    }

    /// Returns the first claim that the ID token of a sign-in lacks or has with another value.
    func mismatch(at signIn: IDTokenClaims?) -> Mismatch? { self.mismatch(in: signIn, ignoresAbsent: false) }

    /// Returns the first claim that a later ID token has with another value; an absent claim keeps its earlier value.
    func contradiction(in later: IDTokenClaims) -> Mismatch? { self.mismatch(in: later, ignoresAbsent: true) }

    private func mismatch(in claims: IDTokenClaims?, ignoresAbsent: Bool) -> Mismatch? {
        for (name, expected) in self.values.sorted(by: { $0.key < $1.key }) {
            let claim = claims?.document[name].flatMap { $0.isNull ? nil : $0 }
            guard let claim else {
                if ignoresAbsent { continue }
                return Mismatch(name: name, expected: expected, actual: "missing")
            }
            if claim.string?.isExactly(expected) == true { continue }
            let actual = claim.string.map { UntrustedText.printable($0) } ?? "a value of kind \(claim.kind)"
            return Mismatch(name: name, expected: expected, actual: actual)
        }
        return nil
    }
}

extension SessionRecord {
    /// Whether the session's user has these claims, by the newest word on each.
    func has(_ claims: [String: String]) -> Bool {
        guard !claims.isEmpty else { return true }
        let idToken = self.tokens?.idToken.flatMap { try? IDTokenClaims(unverified: $0) }
        return claims.allSatisfy { name, value in
            if let required = self.requiredClaims[name] { return required.isExactly(value) }
            let claim = idToken?.document[name].flatMap { $0.isNull ? nil : $0 }
            // An ID token of a refresh may leave the claims of the sign-in out.
            let known = claim.map(\.string) ?? self.identity.claim(name)
            return known?.isExactly(value) ?? false
        }
    }
}

extension Identity {
    /// A claim that was taken from the ID token of the sign-in.
    fileprivate func claim(_ name: String) -> String? {
        switch name {
        case "email": self.email
        case "hd": self.hostedDomain
        case "sid": self.sessionID
        default: nil
        }
    }
}
