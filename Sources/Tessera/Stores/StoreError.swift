// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// An error thrown by a session store, with the affected file or item and the system's status.
public struct StoreError: ErrorGuidance, Sendable, Hashable {
    /// The kind of failure.
    public let code: Code
    /// The file, item or service, in a form that the user recognizes.
    ///
    /// It does not contain secrets.
    public let location: String
    /// The system's status (`errno` or `OSStatus`), if there is one.
    public let status: Int32?
    /// A more specific message from the system or the store, if there is one.
    public let detail: String?

    /// Creates a store error.
    public init(_ code: Code, location: String, status: Int32? = nil, detail: String? = nil) {
        self.code = code
        self.location = location
        self.status = status
        self.detail = detail
    }

    /// The name used in errors for the keyring service on a Linux desktop's session bus.
    package static let secretServiceLocation = "Secret Service"

    /// Whether the session's record is corrupt or unreadable.
    public var endsSession: Bool { self.code == .corrupt }
    /// Whether the failure may be temporary.
    public var isRetryable: Bool {
        [.busy, .postponed, .locked, .deviceLocked, .unreachable, .leaseLost].contains(self.code)
    }
    /// A one-line description of the failure and its location.
    public var description: String {
        let words = self.detail.map { ": \($0)" } ?? ""
        return "\(self.code.sentence) (\(self.location))\(words)"
    }
    /// A suggested next step for the user or the developer.
    public var recoverySuggestion: String? { self.code.advice }
}

extension StoreError {
    /// A kind of store failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code.
        public let description: String
        let sentence: String
        let advice: String

        /// The record is damaged, or another program has altered it.
        public static let corrupt = Self(
            description: "corrupt",
            sentence: "The stored session is damaged",
            advice: "Restore the file from a backup, or remove it and sign in again."
        )
        /// A newer version wrote the record.
        public static let newerFormat = Self(
            description: "newerFormat",
            sentence: "The stored session was written by a newer version of the program",
            advice: "Update this program. The session was not changed."
        )
        /// The key that encrypts the records is missing.
        public static let keyMissing = Self(
            description: "keyMissing",
            sentence: "The session store's encryption key is missing",
            advice: "Restore the key file, or remove the store and sign in again."
        )
        /// The passphrase does not decrypt the store's key.
        public static let wrongPassphrase = Self(
            description: "wrongPassphrase",
            sentence: "The session store's passphrase is incorrect",
            advice: "Try again with the correct passphrase. The stored sessions cannot be read without it."
        )
        /// The passphrase for a new store is too easy to guess.
        public static let weakPassphrase = Self(
            description: "weakPassphrase",
            sentence: "The passphrase is too weak for a new store",
            advice: """
                Choose a stronger passphrase. 'openssl rand -base64 18' prints a random one, and 'tessera' offers one \
                in a terminal.
                """
        )
        /// The user is not permitted to read or write the store.
        public static let permissionDenied = Self(
            description: "permissionDenied",
            sentence: "No permission to read or write the session store",
            advice: "Check the owner and the permissions of the file or directory."
        )
        /// A file or a directory of the store belongs to another user.
        public static let otherOwner = Self(
            description: "otherOwner",
            sentence: "The session store belongs to another user",
            advice: "Run this program as the owner, or change the owner with 'chown' if you trust the contents."
        )
        /// There is not enough space to save the session.
        public static let full = Self(
            description: "full",
            sentence: "There is not enough space to save the session",
            advice: "Free some space. The previously stored session is unchanged."
        )
        /// Another process has held the account's lock for too long.
        public static let busy = Self(
            description: "busy",
            sentence: "Another process did not release the session's lock in time",
            advice: "Try again. If the problem persists, look for a stuck process."
        )
        /// The account was not locked, because the system is about to suspend the app.
        public static let postponed = Self(
            description: "postponed",
            sentence: "The session store was not used because the system is about to suspend the app",
            advice: "Try again when the app is in the foreground."
        )
        /// The database server does not respond.
        public static let unreachable = Self(
            description: "unreachable",
            sentence: "The session database cannot be reached",
            advice: "Check the database's address, its status and the network, then try again."
        )
        /// The identity of the database server could not be verified, so no password was sent.
        public static let unverifiedServer = Self(
            description: "unverifiedServer",
            sentence: "The database server could not be verified",
            advice: """
                Add 'sslmode=verify-full&sslrootcert=FILE' with the server's certificate authority to the store's \
                address, or choose the required protection with 'sslmode' and 'require_auth'.
                """
        )
        /// The lease on a session expired, so nothing can be written under it.
        public static let leaseLost = Self(
            description: "leaseLost",
            sentence: "The lease on the session expired, or another process changed the session",
            advice: "Try again to continue with the session that the other process saved."
        )
        /// The keyring is locked.
        public static let locked = Self(
            description: "locked",
            sentence: "The keyring is locked",
            advice: "Unlock the keyring and try again."
        )
        /// The store cannot be read, because the device has not been unlocked since its last restart.
        ///
        /// A session may be stored, but that is not known until the device is unlocked.
        public static let deviceLocked = Self(
            description: "deviceLocked",
            sentence: "The session store cannot be read while the device is locked",
            advice: "Try again after the device has been unlocked."
        )
        /// The store cannot be used at all.
        public static let unavailable = Self(
            description: "unavailable",
            sentence: "The session store cannot be used",
            advice: "Choose another store."
        )
        /// The store reported a successful save, but the saved data could not be read back.
        public static let notPersisted = Self(
            description: "notKept",
            sentence: "The session store lost data that it had just saved",
            advice: "Choose another store, because this one does not save data reliably."
        )
        /// The store is on a network file system, which cannot lock files reliably across machines.
        public static let networkFileSystem = Self(
            description: "networkFileSystem",
            sentence: "The session store is on a network file system, where file locks are unreliable",
            advice: "Choose a directory on a local disk, or allow the network file system if only one machine uses it."
        )
        /// Any other failure of the system.
        public static let system = Self(
            description: "system",
            sentence: "The session store failed",
            advice: "See the system's error message."
        )

        /// Returns whether an error is a ``StoreError`` with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? StoreError)?.code == pattern
        }
        /// Returns whether two codes have the same name.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}
