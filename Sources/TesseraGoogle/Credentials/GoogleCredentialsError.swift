// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// An error that explains why credentials cannot be found, loaded or used.
///
/// The error names the file or the server, the member that is wrong, and what to change. It does not contain a key, an
/// assertion or a token.
public struct GoogleCredentialsError: ErrorGuidance, Sendable, Hashable {
    /// The kind of failure.
    public let code: Code
    /// The path of the file, the URL without its query, or the name of the variable that the error is about.
    public let location: String?
    /// The reason, as a sentence without a full stop.
    public let reason: String
    /// The HTTP status of a rejected request.
    public let status: Int?
    /// The time to wait before the next attempt, in seconds, if the server specified it (`Retry-After`).
    public let retryAfter: Int?
    private let advice: String?

    /// Creates an error.
    public init(
        _ code: Code,
        at location: String? = nil,
        reason: String,
        advice: String? = nil,
        status: Int? = nil,
        retryAfter: Int? = nil
    ) {
        self.code = code
        self.location = location
        self.reason = reason
        self.advice = advice
        self.status = status
        self.retryAfter = retryAfter
    }

    /// A one-line description that contains the location and the reason.
    public var description: String {
        let location = self.location.map { UntrustedText.printable($0) + ": " } ?? ""
        let reason = location.isEmpty ? self.reason.prefix(1).uppercased() + self.reason.dropFirst() : self.reason
        return "\(location)\(reason)" + (self.status.map { " [HTTP \($0)]" } ?? "")
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { self.advice ?? self.code.advice }
    /// Whether the user has to sign in again.
    public var endsSession: Bool { self.code == .reauthenticationRequired }
    /// Whether the same call may succeed later without any change.
    public var isRetryable: Bool {
        guard [.rejected, .metadataServer, .subjectToken].contains(self.code), let status = self.status else {
            return false
        }
        return Self.isTransient(status)
    }

    /// Whether a status is temporary: 408, 429, 500, 502, 503 and 504.
    static func isTransient(_ status: Int) -> Bool { [408, 429, 500, 502, 503, 504].contains(status) }
}

extension GoogleCredentialsError {
    /// A kind of failure, which you can use as a pattern in a `catch` clause.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code.
        public let rawValue: String
        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The stable name of the code.
        public var description: String { self.rawValue }

        /// No credentials were found.
        public static let notFound = Self(rawValue: "notFound")
        /// A file cannot be read.
        public static let unreadableFile = Self(rawValue: "unreadableFile")
        /// A file is not valid.
        public static let invalidFile = Self(rawValue: "invalidFile")
        /// A file contains credentials of a type that the caller does not expect.
        public static let unexpectedType = Self(rawValue: "unexpectedType")
        /// Credentials of this type are not supported.
        public static let unsupportedType = Self(rawValue: "unsupportedType")
        /// A file sends secrets to a server that the caller did not permit.
        public static let untrustedEndpoint = Self(rawValue: "untrustedEndpoint")
        /// The credentials belong to another universe than the caller or the API.
        public static let universeMismatch = Self(rawValue: "universeMismatch")
        /// The user has to sign in again, because the organization requires it.
        public static let reauthenticationRequired = Self(rawValue: "reauthenticationRequired")
        /// Credentials of this kind do not support the operation.
        public static let unsupportedOperation = Self(rawValue: "unsupportedOperation")
        /// An option or a variable is not valid.
        public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
        /// The subject token of an external account cannot be obtained.
        public static let subjectToken = Self(rawValue: "subjectToken")
        /// The metadata server cannot be used.
        public static let metadataServer = Self(rawValue: "metadataServer")
        /// Google rejected the request.
        public static let rejected = Self(rawValue: "rejected")

        /// Returns whether an error has this code.
        public static func ~= (code: Self, error: any Error) -> Bool {
            (error as? GoogleCredentialsError)?.code == code
        }

        fileprivate var advice: String? {
            switch self {
            case .notFound:
                "Run 'gcloud auth application-default login', or set GOOGLE_APPLICATION_CREDENTIALS to the path of a "
                    + "credential file."
            case .unreadableFile: "Check the path and the permissions of the file."
            case .invalidFile: "Create the file again and save it unchanged, as UTF-8 without a byte order mark."
            case .unexpectedType: "Use a file of an expected type, or expect this type if you trust the file."
            case .untrustedEndpoint:
                "If you trust this server, add its origin to the trusted origins, or name the universe domain."
            case .universeMismatch:
                "Set GOOGLE_CLOUD_UNIVERSE_DOMAIN or the universe domain in the options if you trust this universe."
            case .reauthenticationRequired: "Run 'gcloud auth application-default login'."
            case .metadataServer: "Check that this machine has a service account, or use a credential file."
            case .rejected: "Check the service account, its roles, and the scopes of the request."
            default: nil
            }
        }
    }
}
