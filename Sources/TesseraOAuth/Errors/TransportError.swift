// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A failed HTTP exchange, in which no response was received or its body was incomplete.
///
/// A transport stores its HTTP library's error, unchanged, in `underlying`. An HTTP response never causes a
/// `TransportError`, regardless of its status. Neither does cancellation, which throws `CancellationError`.
///
/// - SeeAlso: [RFC 9112, section 8](https://www.rfc-editor.org/rfc/rfc9112.html#section-8)
public struct TransportError: ErrorGuidance, Sendable {
    /// The kind of failure.
    public let code: Code
    /// The request's host, without a path or query.
    public let host: String?
    /// The HTTP library's error.
    public let underlying: (any Error)?

    /// Creates a transport error.
    public init(_ code: Code, host: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.host = host
        self.underlying = underlying
    }

    /// Whether it is certain that no part of the request reached the server.
    public var nothingWasSent: Bool {
        [.nameResolution, .cannotConnect, .unusableProxy, .unusableLibrary, .tls, .insecureURL, .invalidURL]
            .contains(self.code)
    }
    /// Whether the failure may be temporary.
    public var isRetryable: Bool {
        ![.insecureURL, .invalidURL, .unusableProxy, .unusableLibrary, .tls, .bodyTooLarge, .bodyAlreadyRead]
            .contains(self.code)
    }
    /// A one-line description that contains the failure and the host.
    public var description: String {
        let location = self.host.map { " (\($0))" } ?? ""
        return "\(self.code.sentence)\(location)"
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { self.code.advice }
}

extension TransportError: CustomReflectable {
    /// A mirror that shows only the type of the HTTP library's error, because the error may contain the whole request.
    public var customMirror: Mirror {
        let underlying = self.underlying.map { "\(type(of: $0))" }
        return Mirror(self, children: ["code": self.code, "host": self.host as Any, "underlying": underlying as Any])
    }
}

extension TransportError {
    /// A kind of transport failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code.
        public let description: String
        let sentence: String
        let advice: String

        /// The host name could not be resolved.
        public static let nameResolution = Self(
            description: "nameResolution",
            sentence: "The server's host name could not be resolved",
            advice: "Check the network connection and the host name, then try again."
        )
        /// The connection could not be established.
        public static let cannotConnect = Self(
            description: "cannotConnect",
            sentence: "Could not connect to the server",
            advice: "Check the network connection and whether the server is running, then try again."
        )
        /// The proxy specified in the environment cannot be used, or it requires different credentials.
        public static let unusableProxy = Self(
            description: "unusableProxy",
            sentence: "The proxy cannot be used, or it rejected the user name and password",
            advice: "Set HTTPS_PROXY to http://user:password@host:port, or list hosts that need no proxy in NO_PROXY."
        )
        /// The system's HTTP library lacks a feature that the transport needs.
        public static let unusableLibrary = unusableLibrary(
            "The system's HTTP library cannot be used",
            advice: "Install a newer version."
        )
        /// The connection was lost before the response was complete.
        public static let connectionLost = Self(
            description: "connectionLost",
            sentence: "The connection was lost before the response was complete",
            advice: "Try again."
        )
        /// The server did not respond in time.
        public static let timedOut = Self(
            description: "timedOut",
            sentence: "The server did not respond in time",
            advice: "Try again. If the problem persists, check the server and any proxy."
        )
        /// The server's certificate was not accepted, or the TLS handshake failed.
        public static let tls = Self(
            description: "tls",
            sentence: "The server's certificate was not accepted, or the TLS handshake failed",
            advice: "Check the server's certificate, this machine's clock, and whether a proxy intercepts TLS."
        )
        /// The URL is neither https nor an explicitly permitted loopback address.
        public static let insecureURL = Self(
            description: "insecureURL",
            sentence: "The request was not sent because plain http is not allowed",
            advice: "Use an https URL. Plain http is possible only for loopback addresses, if explicitly allowed."
        )
        /// The request's URL is missing or not valid.
        public static let invalidURL = Self(
            description: "invalidURL",
            sentence: "The URL is not valid",
            advice: "Check the URL."
        )
        /// The body is larger than the caller's limit.
        public static let bodyTooLarge = Self(
            description: "bodyTooLarge",
            sentence: "The response is larger than the limit",
            advice: "The server sent more data than this call accepts."
        )
        /// The server's response is not valid HTTP.
        public static let invalidResponse = Self(
            description: "invalidResponse",
            sentence: "The server's response is not valid HTTP",
            advice: "Check that the address belongs to an HTTP server."
        )
        /// A body that can be read only once was read again.
        public static let bodyAlreadyRead = Self(
            description: "bodyAlreadyRead",
            sentence: "The body was already read and cannot be read again",
            advice: "Save the body when you read it, or send the request again."
        )

        /// Returns the code ``unusableLibrary`` with a message and advice for a specific library.
        package static func unusableLibrary(_ sentence: String, advice: String) -> Self {
            Self(description: "unusableLibrary", sentence: sentence, advice: advice)
        }

        /// Returns whether an error is a ``TransportError`` with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? TransportError)?.code == pattern
        }
        /// Returns whether two codes have the same name.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}
