// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The network door failed: no HTTP response came, or its body did not come whole.
///
/// A transport wraps what its HTTP library threw; `underlying` is that error, untouched. An HTTP response, whatever its
/// status, is never a `TransportError`. Cancellation is not one either: it stays `CancellationError`.
///
/// - SeeAlso: [RFC 9112, section 8](https://www.rfc-editor.org/rfc/rfc9112.html#section-8)
public struct TransportError: ErrorGuidance, Sendable {
    /// What failed.
    public let code: Code
    /// The host that was called, without path or query.
    public let host: String?
    /// The HTTP library's own error.
    public let underlying: (any Error)?

    /// An error of the network door.
    public init(_ code: Code, host: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.host = host
        self.underlying = underlying
    }

    /// Whether the failure proves that nothing of the request reached the server.
    public var nothingWasSent: Bool {
        [.nameResolution, .cannotConnect, .unusableProxy, .unusableLibrary, .tls, .insecureURL, .invalidURL]
            .contains(self.code)
    }
    /// Whether the failure may pass by itself.
    public var isRetryable: Bool {
        ![.insecureURL, .invalidURL, .unusableProxy, .unusableLibrary, .tls, .bodyTooLarge, .bodyAlreadyRead]
            .contains(self.code)
    }
    /// One line: what failed, and where.
    public var description: String {
        let place = self.host.map { " (\($0))" } ?? ""
        return "\(self.code.sentence)\(place)"
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { self.code.advice }
}

extension TransportError: CustomReflectable {
    /// Of the HTTP library's error only the type: it may hold the whole request.
    public var customMirror: Mirror {
        let underlying = self.underlying.map { "\(type(of: $0))" }
        return Mirror(self, children: ["code": self.code, "host": self.host as Any, "underlying": underlying as Any])
    }
}

extension TransportError {
    /// What failed at the network door.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, stable.
        public let description: String
        let sentence: String
        let advice: String

        /// The name could not be resolved.
        public static let nameResolution = Self(
            description: "nameResolution",
            sentence: "The server's name could not be found",
            advice: "Check the network connection and the host name, then try again."
        )
        /// No connection could be made.
        public static let cannotConnect = Self(
            description: "cannotConnect",
            sentence: "No connection to the server",
            advice: "Check the network connection and whether the server runs, then try again."
        )
        /// The proxy that the environment names is none that can be used, or it demands other credentials.
        public static let unusableProxy = Self(
            description: "unusableProxy",
            sentence: "The proxy cannot be used, or it does not accept the user name and password",
            advice: "Check HTTPS_PROXY: http://user:password@host:port. NO_PROXY names the hosts that need no proxy."
        )
        /// The system's HTTP library cannot do what the transport needs.
        public static let unusableLibrary = unusableLibrary(
            "The system's HTTP library cannot be used",
            advice: "Install a newer version."
        )
        /// The connection ended before the whole answer was there.
        public static let connectionLost = Self(
            description: "connectionLost",
            sentence: "The connection was lost before the answer was complete",
            advice: "Try again."
        )
        /// The deadline passed.
        public static let timedOut = Self(
            description: "timedOut",
            sentence: "The server did not answer in time",
            advice: "Try again; if it stays so, the server or a proxy is stuck."
        )
        /// The server's certificate was not accepted, or the TLS handshake failed.
        public static let tls = Self(
            description: "tls",
            sentence: "The server's certificate was not accepted, or the TLS handshake failed",
            advice: "Check the server's certificate, the clock, and whether a proxy intercepts TLS."
        )
        /// The URL is not https, and not a loopback address with the explicit permission.
        public static let insecureURL = Self(
            description: "insecureURL",
            sentence: "Refused to send over plain http",
            advice: "Use an https URL; plain http is possible for loopback addresses only, when explicitly allowed."
        )
        /// The request has no usable URL.
        public static let invalidURL = Self(
            description: "invalidURL",
            sentence: "The URL cannot be used",
            advice: "Check the URL."
        )
        /// The body was longer than the collector's bound.
        public static let bodyTooLarge = Self(
            description: "bodyTooLarge",
            sentence: "The answer is larger than the limit",
            advice: "The server sent more than this call accepts."
        )
        /// The server's bytes are not HTTP.
        public static let invalidResponse = Self(
            description: "invalidResponse",
            sentence: "The server's answer is not valid HTTP",
            advice: "Check that the address is that of an HTTP server."
        )
        /// A body that can be read once was read again.
        public static let bodyAlreadyRead = Self(
            description: "bodyAlreadyRead",
            sentence: "The body was already read, and it can be read only once",
            advice: "Keep what was read, or send the request again."
        )

        /// The code ``unusableLibrary`` with a sentence and advice for one library.
        package static func unusableLibrary(_ sentence: String, advice: String) -> Self {
            Self(description: "unusableLibrary", sentence: sentence, advice: advice)
        }

        /// Whether the error is a transport error with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? TransportError)?.code == pattern
        }
        /// Codes are equal when their names are.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}
