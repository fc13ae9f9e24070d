// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A possible cause of a failure, with the evidence and a fix.
///
/// The description is one line for users. Use ``code`` and ``certainty`` in programs. Findings contain no secrets.
public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// The kind of cause.
    public let code: Code
    /// How certain the finding is.
    public let certainty: Certainty
    /// One or two short sentences that state the cause and the evidence for it.
    public let cause: String
    /// One or two sentences that state how to fix the problem.
    public let fix: String

    /// Creates a finding.
    ///
    /// If `fix` is nil, the code's fix is used.
    public init(_ code: Code, _ certainty: Certainty, _ cause: String, fix: String? = nil) {
        self.code = code
        self.certainty = certainty
        self.cause = cause
        self.fix = fix ?? code.fix
    }

    /// The certainty, the cause and the fix in one line.
    public var description: String { "\(self.certainty.prefix)\(self.cause) \(self.fix)" }

    /// The certainty of a finding.
    public enum Certainty: String, Sendable, Hashable, Comparable, CaseIterable {
        /// No evidence supports or contradicts the finding.
        case possible
        /// The evidence supports the finding.
        case likely
        /// The provider or the system reported the cause, or it was measured.
        case certain

        /// Returns whether the first value is less certain than the second.
        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// The words that introduce a finding of this certainty, or an empty string for a certain one.
        public var prefix: String {
            switch self {
            case .certain: ""
            case .likely: "Likely: "
            case .possible: "Possibly: "
            }
        }
    }
}

extension Finding {
    /// A kind of cause.
    ///
    /// Providers can define additional codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code.
        public let description: String
        /// The fix for findings without specific advice.
        public let fix: String

        /// Creates a code with a name and a default fix.
        public init(_ name: String, fix: String) {
            self.description = name
            self.fix = fix
        }

        /// Returns whether two codes have the same name.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}

// Reasons for the end of a session.
extension Finding.Code {
    /// The client is in testing, and its refresh tokens expire early.
    public static let testingClient = Self(
        "testingClient",
        fix: "Publish the client at the provider, then sign in again."
    )
    /// The refresh token was not used for too long.
    public static let idle = Self("idle", fix: "Sign in again, and refresh the session regularly.")
    /// The user signed in too often, and the provider ended the oldest session.
    public static let tooManySignIns = Self(
        "tooManySignIns",
        fix: "Sign in again, and reuse the stored session instead of signing in each time the program starts."
    )
    /// Access was granted for a limited time that has passed or is about to pass.
    public static let timeLimitedAccess = Self("timeLimitedGrant", fix: "Sign in again to extend the access.")
    /// The account's organization requires users to sign in again periodically.
    public static let reauthentication = Self(
        "reauthentication",
        fix: "Sign in again. The organization's administrator sets how often this is required."
    )
    /// The user or an administrator revoked the access.
    public static let revoked = Self("revoked", fix: "Sign in again if the access is still needed.")
    /// The user changed the password, which ends sessions with certain scopes.
    public static let passwordChanged = Self("passwordChanged", fix: "Sign in again.")
    /// Another program used the refresh token and received its replacement.
    public static let refreshTokenReuse = Self(
        "twoOwners",
        fix: "Sign in again in each program. Do not copy a session from one program to another."
    )
    /// A refresh was interrupted before its response was saved.
    public static let interruptedRefresh = Self("interruptedRefresh", fix: "Sign in again.")
    /// The access token has expired, and there is no refresh token.
    public static let noRefreshToken = Self(
        "noRefreshToken",
        fix: "Sign in again and request offline access (the 'offline_access' scope, if the provider supports it)."
    )
}

// Problems with the client's registration, or with the policies of the account's organization.
extension Finding.Code {
    /// The provider does not know the client, or the client's authentication failed.
    public static let clientRefused = Self(
        "clientRefused",
        fix: "Compare the client ID and secret with the provider's registration, then sign in with the correct ones."
    )
    /// The client was deleted at the provider.
    public static let clientDeleted = Self(
        "clientDeleted",
        fix: "Register a new client and sign in with it."
    )
    /// The client is not authorized to make the request.
    public static let clientUnauthorized = Self(
        "clientUnauthorized",
        fix: "Allow the client to refresh tokens, or use the client that created the session."
    )
    /// An administrator does not allow the client or its scopes.
    public static let adminPolicy = Self(
        "adminPolicy",
        fix: "Ask the organization's administrator to allow the client."
    )
    /// The client accepts only accounts of its own organization.
    public static let organizationOnly = Self(
        "organizationOnly",
        fix: "Sign in with an account of that organization, or make the client available to other accounts."
    )
}

// Problems on this computer, or in the network between it and the provider.
extension Finding.Code {
    /// This computer's clock differs from the provider's clock.
    public static let wrongClock = Self(
        "wrongClock",
        fix: "Set the clock automatically (on Linux, run 'timedatectl set-ntp true')."
    )
    /// The TLS connection is intercepted, or the server's certificate is not trusted.
    public static let interceptedTLS = Self(
        "interceptedTLS",
        fix: """
            If your organization's proxy intercepts TLS, set SSL_CERT_FILE to the file with its certificate authority. \
            Otherwise, do not use this network.
            """
    )
    /// The configured proxy cannot be used.
    public static let proxy = Self("proxy", fix: "Check HTTPS_PROXY and NO_PROXY.")
    /// The provider cannot be reached.
    public static let unreachable = Self("unreachable", fix: "Check the network connection, then try again.")
    /// The keyring is locked.
    public static let keyringLocked = Self(
        "keyringLocked",
        fix: "Sign in to the desktop, or unlock the keyring in its app (Passwords and Keys, KWallet or KeePassXC)."
    )
    /// No keyring is available.
    public static let keyringAbsent = Self(
        "keyringAbsent",
        fix: "Run this in a desktop session, start a keyring, or sign in with another store."
    )
    /// The store loses saved data.
    public static let storeLosesData = Self(
        "storeLies",
        fix: "Use another store and sign in again. The sessions saved in this store are lost."
    )
    /// The disk is full, or the process is not permitted to write to the store.
    public static let storeUnwritable = Self("storeUnwritable", fix: StoreError.Code.permissionDenied.advice)
    /// A stored session is damaged, or its encryption key is missing or damaged.
    public static let storeDamaged = Self("storeDamaged", fix: StoreError.Code.corrupt.advice)
}
