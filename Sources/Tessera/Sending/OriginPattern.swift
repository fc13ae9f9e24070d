// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// An origin that tokens may be sent to, or all subdomains of a host.
///
/// Examples are `https://api.example.com`, `https://*.googleapis.com` and `http://127.0.0.1:8080`.
public struct OriginPattern: Sendable, Hashable, CustomStringConvertible {
    let scheme: String
    let host: String
    let port: Int
    let includesSubdomains: Bool
    /// The authority that requests to a single origin usually have, used for a fast comparison.
    private let authority: String?

    /// Creates a pattern from its text.
    ///
    /// A wildcard must be the complete first label of the host, followed by at least two labels.
    ///
    /// - Throws: `InvalidRequestError` if the text is not an origin, has a path, has a scheme other than https (except
    ///   http for a loopback host), or contains a wildcard that is misplaced or followed by a single label (`*.com`).
    public init(_ text: String) throws(InvalidRequestError) {
        var text = text
        let marker = "://*."
        var includesSubdomains = false
        // Most patterns have no wildcard, and a search for a substring is slow.
        if text.utf8.contains(UInt8(ascii: "*")), let range = text.firstRange(of: marker) {
            text.replaceSubrange(range, with: "://")
            includesSubdomains = true
        }
        guard let parts = URIParts(text), let host = parts.host, let port = parts.effectivePort, parts.userinfo == nil,
            parts.query == nil, parts.fragment == nil, parts.path.isEmpty || parts.path == "/",
            !host.utf8.contains(UInt8(ascii: "*"))
        else {
            throw InvalidRequestError(
                "origin",
                reason: "\"\(UntrustedText.printable(text))\" is not an origin such as https://host"
            )
        }
        guard parts.isSecure(insecure: .loopbackHTTP) else {
            throw InvalidRequestError("origin", reason: "tokens can be sent only to https origins")
        }
        guard !includesSubdomains || (host.contains(".") && !parts.isLoopback) else {
            throw InvalidRequestError("origin", reason: "a wildcard must be followed by at least two labels")
        }
        self.scheme = parts.scheme
        self.host = host
        self.port = port
        self.includesSubdomains = includesSubdomains
        self.authority = includesSubdomains ? nil : Self.authority(parts.scheme, host, port)
    }

    /// Creates a pattern for the origin of a URL that has already been checked.
    package init?(of parts: URIParts) {
        guard let host = parts.host, let port = parts.effectivePort else { return nil }
        self.scheme = parts.scheme
        self.host = host
        self.port = port
        self.includesSubdomains = false
        self.authority = Self.authority(parts.scheme, host, port)
    }

    private static func authority(_ scheme: String, _ host: String, _ port: Int) -> String {
        port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// Returns whether the pattern matches a request's origin.
    ///
    /// - Parameters:
    ///   - scheme: The request's scheme in lowercase.
    ///   - authority: The request's host, or `host:port`.
    /// - Returns: Whether the pattern matches the origin.
    public func contains(scheme: String?, authority: String?) -> Bool {
        guard let scheme, let authority, scheme == self.scheme else { return false }
        if authority == self.authority { return true }
        guard let (written, port) = RequestTarget.parts(of: authority) else { return false }
        guard (port ?? (scheme == "https" ? 443 : 80)) == self.port else { return false }
        let host = written.lowercased()
        return self.includesSubdomains ? host.hasSuffix("." + self.host) : host == self.host
    }

    /// The pattern's text, without a default port.
    public var description: String {
        let isDefault = self.port == (self.scheme == "https" ? 443 : 80)
        return "\(self.scheme)://\(self.includesSubdomains ? "*." : "")\(self.host)\(isDefault ? "" : ":\(self.port)")"
    }
}

/// An error for a request to an origin that the session's tokens must not be sent to.
///
/// Nothing was sent, and no token was obtained.
public struct UnauthorizedOriginError: ErrorGuidance, Sendable, Hashable {
    /// The origin of the request.
    public let origin: String
    /// The origins that tokens may be sent to.
    public let authorizedOrigins: [OriginPattern]

    /// Creates an error.
    public init(origin: String, authorizedOrigins: [OriginPattern]) {
        self.origin = origin
        self.authorizedOrigins = authorizedOrigins
    }

    /// A one-line description of the error.
    public var description: String {
        "This session's tokens must not be sent to \(UntrustedText.printable(self.origin))"
    }
    /// A suggested next step for the user or the developer.
    public var recoverySuggestion: String? {
        let allowed = self.authorizedOrigins.map(\.description).joined(separator: ", ")
        return "Authorize this origin if you trust it." + (allowed.isEmpty ? "" : " Authorized origins: \(allowed).")
    }
}
