// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// One thing that explains a failure, or announces one: what speaks for it, what helps, and how sure it is.
///
/// Each is one line for people; ``code`` and ``certainty`` are for programs. No secret is in it.
public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// What it is.
    public let code: Code
    /// How sure it is.
    public let certainty: Certainty
    /// One or two short sentences: what was found, with the evidence.
    public let found: String
    /// One sentence or two: what helps.
    public let fix: String

    /// A finding; the code's own advice is the fix where none is given.
    public init(_ code: Code, _ certainty: Certainty, _ found: String, fix: String? = nil) {
        self.code = code
        self.certainty = certainty
        self.found = found
        self.fix = fix ?? code.fix
    }

    /// What was found, and what helps.
    public var description: String { "\(self.certainty.prefix)\(self.found) \(self.fix)" }

    /// How sure a finding is.
    public enum Certainty: String, Sendable, Hashable, Comparable, CaseIterable {
        /// Nothing that is known speaks against it, and nothing for it.
        case possible
        /// What is known speaks for it.
        case likely
        /// Somebody said so who knows, or it was measured.
        case certain

        /// Orders by how sure they are.
        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// The words before what is not certain.
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
    /// What a finding is about; open, because every provider has reasons of its own.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, stable.
        public let description: String
        /// What helps, where a finding says nothing better.
        public let fix: String

        /// A code with its usual fix.
        public init(_ name: String, fix: String) {
            self.description = name
            self.fix = fix
        }

        /// Codes are equal when their names are.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}

// Why a grant ends.
extension Finding.Code {
    /// The client is in testing, and its grants end soon.
    public static let testingClient = Self(
        "testingClient",
        fix: "Publish the client at the provider, then sign in again."
    )
    /// Nobody used the grant for too long.
    public static let idle = Self("idle", fix: "Sign in again, and let the program refresh now and then.")
    /// The provider keeps so many sign-ins of one account with one client, and drops the oldest.
    public static let tooManySignIns = Self(
        "tooManySignIns",
        fix: "Sign in again, and keep the session instead of signing in at each start."
    )
    /// The access was granted for a time, which is over or nearly so.
    public static let timeLimitedGrant = Self("timeLimitedGrant", fix: "Sign in again for more time.")
    /// The organisation wants people to prove themselves again from time to time.
    public static let reauthentication = Self(
        "reauthentication",
        fix: "Sign in again; the organisation's administrator decides how often."
    )
    /// The person, or an administrator, took the access back.
    public static let revoked = Self("revoked", fix: "Sign in again, if the access is still wanted.")
    /// The person changed the password, which ends grants with certain scopes.
    public static let passwordChanged = Self("passwordChanged", fix: "Sign in again.")
    /// Another program used the refresh token, and got the one that replaced it.
    public static let twoOwners = Self(
        "twoOwners",
        fix: "Sign in again, and give each program a sign-in of its own: a copy of a session ends both."
    )
    /// A refresh was interrupted before its answer was saved.
    public static let interruptedRefresh = Self("interruptedRefresh", fix: "Sign in again.")
    /// There is no refresh token, and the access token's time is over.
    public static let noRefreshToken = Self(
        "noRefreshToken",
        fix: "Sign in again, and ask for offline access (the scope offline_access, where the provider has it)."
    )
}

// What a provider says about the client, or the organisation about both.
extension Finding.Code {
    /// The provider does not know the client, or does not believe that it is the one.
    public static let clientRefused = Self(
        "clientRefused",
        fix: "Compare client ID and secret with the registration at the provider, then sign in with the right ones."
    )
    /// The client is no more.
    public static let clientDeleted = Self(
        "clientDeleted",
        fix: "Register a client anew, and sign in with it."
    )
    /// The client may not do this.
    public static let clientUnauthorized = Self(
        "clientUnauthorized",
        fix: "Allow the client to refresh tokens, or use the client that the session was made with."
    )
    /// An administrator does not allow the client, or its scopes.
    public static let adminPolicy = Self(
        "adminPolicy",
        fix: "Ask the organisation's administrator to allow the client."
    )
    /// The client is for the accounts of its own organisation alone.
    public static let organizationOnly = Self(
        "organizationOnly",
        fix: "Sign in with an account of that organisation, or open the client to others."
    )
}

// What is wrong on this machine, or between it and the provider.
extension Finding.Code {
    /// The clock here is not the provider's.
    public static let wrongClock = Self(
        "wrongClock",
        fix: "Let the network set the clock (on Linux: timedatectl set-ntp true)."
    )
    /// Somebody between here and the provider reads what passes, or the provider's certificate is not a good one.
    public static let interceptedTLS = Self(
        "interceptedTLS",
        fix: """
            If that is your organisation's proxy, name the file of its authority in SSL_CERT_FILE; if not, send nothing \
            through this network.
            """
    )
    /// The proxy cannot be used.
    public static let proxy = Self("proxy", fix: "Check HTTPS_PROXY and NO_PROXY.")
    /// The provider cannot be reached.
    public static let unreachable = Self("unreachable", fix: "Check the network, then try again.")
    /// The keyring is locked.
    public static let keyringLocked = Self(
        "keyringLocked",
        fix: "Unlock it: sign in at the desktop, or open its program (Passwords and Keys, KWallet, KeePassXC)."
    )
    /// There is no keyring.
    public static let keyringAbsent = Self(
        "keyringAbsent",
        fix: "Run this in the desktop's session, start a keyring, or name another store and sign in there."
    )
    /// What was saved is not there.
    public static let storeLies = Self(
        "storeLies",
        fix: "Use another store, and sign in there: what this one says it saved is lost."
    )
    /// There is no room, or no right, to save a session.
    public static let storeUnwritable = Self("storeUnwritable", fix: StoreError.Code.permissionDenied.advice)
    /// A stored session, or the key that opens it, is damaged or gone.
    public static let storeDamaged = Self("storeDamaged", fix: StoreError.Code.corrupt.advice)
}
