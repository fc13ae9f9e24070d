// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// The name of the claim that says when the person last signed in at Google.
public let kAuthTimeClaimName = "auth_time"

/// A claim that a sign-in asks Google to put into the ID token.
///
/// Two are equal when their names and their ``isEssential`` are.
public final class GIDClaim: NSObject, Sendable {
    /// The claim's name.
    public let name: String
    /// Whether the sign-in fails without it.
    public let isEssential: Bool

    init(name: String, isEssential: Bool) {
        self.name = name
        self.isEssential = isEssential
    }

    /// When the person last signed in, if Google says.
    public static func authTime() -> GIDClaim { GIDClaim(name: kAuthTimeClaimName, isEssential: false) }

    /// When the person last signed in; an ID token without it is refused.
    public static func essentialAuthTime() -> GIDClaim { GIDClaim(name: kAuthTimeClaimName, isEssential: true) }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? GIDClaim else { return false }
        return self.name == other.name && self.isEssential == other.isEssential
    }

    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(self.name)
        hasher.combine(self.isEssential)
        return hasher.finalize()
    }
}

extension ClaimsRequest {
    /// These claims, asked for in the ID token.
    ///
    /// - Throws: ``GIDSignInError`` `ambiguousClaims` where one is there as essential and not.
    init(_ claims: Set<GIDClaim>) throws(GIDSignInError) {
        self.init()
        for claim in claims {
            guard self.idToken.updateValue(claim.isEssential ? .essential : .voluntary, forKey: claim.name) == nil
            else {
                throw GIDSignInError(.ambiguousClaims, detail: claim.name)
            }
        }
    }
}
