// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// A store failed: what happened, to which file or item, and the system's own word for it.
public struct StoreError: ErrorGuidance, Sendable, Hashable {
    /// What failed.
    public let code: Code
    /// The file, item or service, in the user's terms.
    ///
    /// Never a secret.
    public let place: String
    /// The system's status (`errno`, `OSStatus`), where there is one.
    public let status: Int32?
    /// More words from the system or the reader, where there are any.
    public let detail: String?

    /// A store's error.
    public init(_ code: Code, place: String, status: Int32? = nil, detail: String? = nil) {
        self.code = code
        self.place = place
        self.status = status
        self.detail = detail
    }

    /// What errors call the keyring that answers on a Linux desktop's session bus.
    package static let secretServicePlace = "Secret Service"

    /// Whether the session's record is corrupt or unreadable.
    public var endsSession: Bool { self.code == .corrupt }
    /// Whether the failure may pass by itself.
    public var isRetryable: Bool {
        [.busy, .postponed, .locked, .deviceLocked, .unreachable, .leaseLost].contains(self.code)
    }
    /// One line: what happened and where.
    public var description: String {
        let words = self.detail.map { ": \($0)" } ?? ""
        return "\(self.code.sentence) (\(self.place))\(words)"
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { self.code.advice }
}

extension StoreError {
    /// What failed in a store.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, stable.
        public let description: String
        let sentence: String
        let advice: String

        /// The record is damaged, or was changed by somebody else.
        public static let corrupt = Self(
            description: "corrupt",
            sentence: "The stored session is damaged",
            advice: "Restore the file from a backup, or remove it and sign in again."
        )
        /// A newer version wrote the record.
        public static let newerFormat = Self(
            description: "newerFormat",
            sentence: "The stored session was written by a newer version",
            advice: "Update this program; the session was left as it is."
        )
        /// The key that opens the records is missing.
        public static let keyMissing = Self(
            description: "keyMissing",
            sentence: "The key that opens the stored sessions is missing",
            advice: "Put the key file back, or remove the store and sign in again."
        )
        /// The passphrase is not the one that the store's key was sealed with.
        public static let wrongPassphrase = Self(
            description: "wrongPassphrase",
            sentence: "The passphrase does not open the store",
            advice: "Try again with the right one; without it the stored sessions cannot be read."
        )
        /// The passphrase for a new store is one of those that anyone would try first.
        public static let weakPassphrase = Self(
            description: "weakPassphrase",
            sentence: "The passphrase is too weak for a new store",
            advice: """
                Choose another one, or take a random one: 'openssl rand -base64 18' prints one, and 'tessera' offers one in \
                a terminal.
                """
        )
        /// The system does not let this user read or write there.
        public static let permissionDenied = Self(
            description: "permissionDenied",
            sentence: "The session store may not be read or written",
            advice: "Check the owner and the permissions of the place."
        )
        /// A file or a directory of the store belongs to another user.
        public static let otherOwner = Self(
            description: "otherOwner",
            sentence: "The session store belongs to another user",
            advice: "Run this as its owner, or change the owner with 'chown' if you trust what it holds."
        )
        /// There is no space left.
        public static let full = Self(
            description: "full",
            sentence: "There is no space left for the session",
            advice: "Free some space; the session that was stored is still there."
        )
        /// Another process holds the account for too long.
        public static let busy = Self(
            description: "busy",
            sentence: "Another process holds the session and did not let go in time",
            advice: "Try again; if it stays so, look for a stuck process."
        )
        /// The system is about to suspend the app, so that the account was not locked.
        public static let postponed = Self(
            description: "postponed",
            sentence: "The session store was not used, because the system is about to suspend the app",
            advice: "Try again when the app is in the foreground."
        )
        /// The database that keeps the sessions does not answer.
        public static let unreachable = Self(
            description: "unreachable",
            sentence: "The database that keeps the sessions cannot be reached",
            advice: "Try again when it answers; look at its address, its state and the network."
        )
        /// The database server could not be proved to be the right one, so it was told no password.
        public static let unverifiedServer = Self(
            description: "unverifiedServer",
            sentence: "The database server could not be verified",
            advice: """
                Add 'sslmode=verify-full&sslrootcert=FILE' with the certificate of the server's authority to the store's \
                address, or name the protection that is enough for you ('sslmode', 'require_auth').
                """
        )
        /// The lease on a session ran out, and nothing may be written under it any more.
        public static let leaseLost = Self(
            description: "leaseLost",
            sentence: "The lease on the session ran out, or another process changed the session",
            advice: "Try again: the session is then read anew, with what the other process obtained."
        )
        /// The keyring is locked.
        public static let locked = Self(
            description: "locked",
            sentence: "The keyring is locked",
            advice: "Unlock it and try again."
        )
        /// The device is locked, so that the store cannot be read yet: after a restart, until the first unlock.
        ///
        /// A session may well be stored. Nothing is known about it until the device is unlocked.
        public static let deviceLocked = Self(
            description: "deviceLocked",
            sentence: "The session store cannot be read while the device is locked",
            advice: "Try again when the device has been unlocked."
        )
        /// The place cannot be used at all.
        public static let unavailable = Self(
            description: "unavailable",
            sentence: "The session store cannot be used",
            advice: "Choose another store."
        )
        /// What was written did not come back: the place says that it saved, and has not.
        public static let notKept = Self(
            description: "notKept",
            sentence: "The session store said that it saved, and has nothing",
            advice: "Choose another store; nothing that this one saves can be relied on."
        )
        /// The file system cannot lock across machines.
        public static let networkFileSystem = Self(
            description: "networkFileSystem",
            sentence: "The session store lies on a network file system, where locks cannot be trusted",
            advice: "Choose a directory on a local disk, or force it if only one machine uses it."
        )
        /// Any other failure of the system.
        public static let system = Self(
            description: "system",
            sentence: "The session store failed",
            advice: "See the system's own message."
        )

        /// Whether the error is a store error with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? StoreError)?.code == pattern
        }
        /// Codes are equal when their names are.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}
