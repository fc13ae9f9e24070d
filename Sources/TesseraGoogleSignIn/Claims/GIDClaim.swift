// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// The name of the claim that contains the time of the user's last sign-in at Google.
public let kAuthTimeClaimName = "auth_time"
/// The name of the claim that lists the methods by which the user was authenticated (RFC 8176).
public let kAMRClaimName = "amr"

/// A claim that a sign-in requests in the ID token.
///
/// Two claims are equal if they have the same name and the same ``isEssential`` value.
public final class GIDClaim: NSObject, Sendable {
    /// The name of the claim.
    public let name: String
    /// Whether the app requires the claim.
    ///
    /// Google can omit a claim that it does not have, even an essential one. A sign-in without an essential `auth_time`
    /// fails. For any other claim, check the ID token.
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

    /// Returns a claim that requests the methods by which the user was authenticated.
    public static func amr() -> GIDClaim { GIDClaim(name: kAMRClaimName, isEssential: false) }

    /// Returns an essential claim that requests the methods by which the user was authenticated.
    ///
    /// An ID token without it is accepted.
    public static func essentialAMR() -> GIDClaim { GIDClaim(name: kAMRClaimName, isEssential: true) }

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

extension GIDClaim {
    /// Returns the claims as text, by which a stored session remembers them.
    static func text(_ claims: Set<GIDClaim>) -> String {
        claims.map { $0.isEssential ? "\($0.name)!" : $0.name }.sorted().joined(separator: " ")
    }

    /// Returns the claims of a text that ``text(_:)`` returned.
    static func claims(_ text: String) -> Set<GIDClaim> {
        Set(
            text.split(separator: " ")
                .map { name in
                    let isEssential = name.hasSuffix("!")
                    return GIDClaim(name: String(isEssential ? name.dropLast() : name), isEssential: isEssential)
                }
        )
    }
}
