// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The scopes that the provider knows, their other spellings, and what the consent page says about each.
struct ScopeCatalog: Sendable {
    static let openID = "openid"
    static let email = "https://www.googleapis.com/auth/userinfo.email"
    static let profile = "https://www.googleapis.com/auth/userinfo.profile"
    static let drive = "https://www.googleapis.com/auth/drive"
    static let driveReadonly = "https://www.googleapis.com/auth/drive.readonly"
    static let driveFile = "https://www.googleapis.com/auth/drive.file"
    static let driveApplicationData = "https://www.googleapis.com/auth/drive.appdata"
    static let driveMetadata = "https://www.googleapis.com/auth/drive.metadata"
    static let driveMetadataReadonly = "https://www.googleapis.com/auth/drive.metadata.readonly"
    /// The scopes that are about every file of an account.
    static let wholeDrive = [Self.drive, Self.driveReadonly, Self.driveMetadata, Self.driveMetadataReadonly]

    private let descriptions: [String: String]

    init(additional: [String: String] = [:]) {
        self.descriptions = Self.google.merging(additional) { _, own in own }
    }

    /// The spelling that answers use, as Google's do.
    static func canonical(_ scope: String) -> String {
        switch scope {
        case "email": Self.email
        case "profile": Self.profile
        default: scope
        }
    }

    /// A list in canonical spelling, each scope once, in order; `openid` joins email and profile, as at Google.
    static func canonical(list text: String) -> [String] {
        var seen: Set<String> = []
        var scopes = text.split(separator: " ").map { Self.canonical(String($0)) }.filter { seen.insert($0).inserted }
        if !seen.isDisjoint(with: [Self.email, Self.profile]), !seen.contains(Self.openID) {
            scopes.append(Self.openID)
        }
        return scopes
    }

    /// Whether a scope belongs to the sign-in itself and has no checkbox of its own.
    static func isSignIn(_ scope: String) -> Bool { [Self.openID, Self.email, Self.profile].contains(scope) }

    /// What the consent page says; nil for a scope that the provider does not know.
    func description(of scope: String) -> String? { self.descriptions[scope] }
}
#endif
