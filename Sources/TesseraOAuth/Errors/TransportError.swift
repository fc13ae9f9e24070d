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
        [.nameResolution, .cannotConnect, .unusableProxy, .tls, .insecureURL, .invalidURL].contains(self.code)
    }
    /// Whether the failure may pass by itself.
    public var isRetryable: Bool {
        ![.insecureURL, .invalidURL, .unusableProxy, .tls, .bodyTooLarge, .bodyAlreadyRead].contains(self.code)
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
