// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// The name of the claim that contains the time of the user's last sign-in at Google.
public let kAuthTimeClaimName = "auth_time"

/// A claim that a sign-in requests in the ID token.
///
/// Two claims are equal if they have the same name and the same ``isEssential`` value.
public final class GIDClaim: NSObject, Sendable {
    /// The name of the claim.
    public let name: String
    /// Whether the sign-in fails if the ID token does not contain the claim.
    public let isEssential: Bool

    init(name: String, isEssential: Bool) {
        self.name = name
        self.isEssential = isEssential
    }

    /// Returns a claim that requests the time of the user's last sign-in at Google.
    public static func authTime() -> GIDClaim { GIDClaim(name: kAuthTimeClaimName, isEssential: false) }

    /// Returns a claim that requires the time of the user's last sign-in at Google.
    ///
    /// An ID token without it is rejected.
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
    /// Creates a request for claims in the ID token.
    ///
    /// - Throws: ``GIDSignInError`` `ambiguousClaims` if a claim is requested both as essential and as voluntary.
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
