// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// One origin that a token may be sent to, or all subdomains of one: `https://api.example.com`,
/// `https://*.googleapis.com`, `http://127.0.0.1:8080`.
public struct OriginPattern: Sendable, Hashable, CustomStringConvertible {
    let scheme: String
    let host: String
    let port: Int
    let includesSubdomains: Bool
    /// What nearly every request to a single origin has as its authority.
    private let authority: String?

    /// Reads an origin.
    ///
    /// - Throws: `InvalidRequestError` for what has a path, no https (but for loopback http), a star anywhere but as the
    ///   whole first label, or a star over a single label (`*.com`).
    public init(_ text: String) throws(InvalidRequestError) {
        var text = text
        let marker = "://*."
        var includesSubdomains = false
        if let range = text.firstRange(of: marker) {
            text.replaceSubrange(range, with: "://")
            includesSubdomains = true
        }
        guard let parts = URIParts(text), let host = parts.host, let port = parts.effectivePort, parts.userinfo == nil,
            parts.query == nil, parts.fragment == nil, parts.path.isEmpty || parts.path == "/", !host.contains("*")
        else {
            throw InvalidRequestError(
                "origin",
                reason: "\"\(UntrustedText.printable(text))\" is no origin such as https://host"
            )
        }
        guard parts.isSecure(permitting: .loopbackHTTP) else {
            throw InvalidRequestError("origin", reason: "tokens go to https origins only")
        }
        guard !includesSubdomains || (host.contains(".") && !parts.isLoopback) else {
            throw InvalidRequestError("origin", reason: "a star needs at least two labels behind it")
        }
        self.scheme = parts.scheme
        self.host = host
        self.port = port
        self.includesSubdomains = includesSubdomains
        self.authority = includesSubdomains ? nil : Self.authority(parts.scheme, host, port)
    }

    /// The origin of a URL that was checked before.
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

    /// Returns whether a request goes to this origin.
    ///
    /// - Parameters:
    ///   - scheme: The scheme of the request, in lower case.
    ///   - authority: The host of the request, or `host:port`.
    /// - Returns: Whether the pattern contains that origin.
    public func contains(scheme: String?, authority: String?) -> Bool {
        guard let scheme, let authority, scheme == self.scheme else { return false }
        if authority == self.authority { return true }
        guard let (written, port) = RequestTarget.parts(of: authority) else { return false }
        guard (port ?? (scheme == "https" ? 443 : 80)) == self.port else { return false }
        let host = written.lowercased()
        return self.includesSubdomains ? host.hasSuffix("." + self.host) : host == self.host
    }

    /// The origin as it is written.
    public var description: String {
        let isDefault = self.port == (self.scheme == "https" ? 443 : 80)
        return "\(self.scheme)://\(self.includesSubdomains ? "*." : "")\(self.host)\(isDefault ? "" : ":\(self.port)")"
    }
}

/// A call went to an origin that the session's tokens may not be sent to.
///
/// Nothing was sent, no token was read.
public struct UnauthorizedOriginError: ErrorGuidance, Sendable, Hashable {
    /// The origin of the call.
    public let origin: String
    /// Where tokens may go.
    public let authorizedOrigins: [OriginPattern]

    /// A refusal.
    public init(origin: String, authorizedOrigins: [OriginPattern]) {
        self.origin = origin
        self.authorizedOrigins = authorizedOrigins
    }

    /// One line: which origin.
    public var description: String {
        "Tokens of this session may not be sent to \(UntrustedText.printable(self.origin))"
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        let allowed = self.authorizedOrigins.map(\.description).joined(separator: ", ")
        return "Allow this origin if you trust it" + (allowed.isEmpty ? "." : "; allowed so far: \(allowed).")
    }
}
