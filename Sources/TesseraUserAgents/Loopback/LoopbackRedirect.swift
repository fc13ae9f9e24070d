// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
public import Tessera

/// The loopback redirect URI at which a ``SystemBrowser`` receives the redirect.
///
/// - SeeAlso: [RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.3)
public struct LoopbackRedirect: Sendable, Hashable {
    /// The host of a loopback redirect URI.
    public enum Host: Sendable, Hashable {
        /// `127.0.0.1`, or `[::1]` on machines without IPv4.
        case loopback
        /// `127.0.0.1`.
        case ipv4
        /// `[::1]`.
        case ipv6
        /// `localhost`, for clients that have no other redirect URI registered.
        ///
        /// This host is discouraged, because the name may resolve to a different address where another program is
        /// listening (RFC 8252, section 8.3).
        case localhost
    }

    /// The host of the URI.
    public var host: Host
    /// The path, including its leading slash.
    ///
    /// It must match exactly. An app with several providers needs a different path for each, unless all of them send `iss`
    /// (RFC 9207). A hostile provider could otherwise obtain another provider's code (RFC 9700, section 4.4).
    public var path: String
    /// A fixed port for providers that require the port to match, or 0 for a random port.
    public var port: UInt16

    /// Creates a redirect URI from its components.
    public init(path: String = "/", port: UInt16 = 0, host: Host = .loopback) {
        self.path = path
        self.port = port
        self.host = host
    }

    /// Creates a redirect URI from a string such as `http://127.0.0.1:8080/callback`, `http://[::1]/` or
    /// `http://localhost:8080/`.
    ///
    /// If the string has no port, a random port is used.
    ///
    /// - Throws: `SignInError` `invalidConfiguration` if the string does not have this form.
    public init(redirectURI: String) throws(SignInError) {
        let hosts: [(String, Host)] = [("127.0.0.1", .ipv4), ("[::1]", .ipv6), ("localhost", .localhost)]
        for (name, host) in hosts where redirectURI.hasPrefix("http://\(name)") {
            var rest = redirectURI.dropFirst("http://\(name)".count)
            var port: UInt16 = 0
            if rest.first == ":" {
                let digits = rest.dropFirst().prefix { $0 != "/" }
                guard digits.first != "+", let number = UInt16(digits), number > 0 else { break }
                port = number
                rest = rest.dropFirst(digits.count + 1)
            }
            guard Self.isPath(String(rest)) else { break }
            self.init(path: String(rest), port: port, host: host)
            return
        }
        throw SignInError(
            .invalidConfiguration,
            detail: "the redirect URI must look like http://127.0.0.1:8080/callback"
        )
    }

    /// Whether the path begins with a slash and contains only path characters, without a query or fragment.
    static func isPath(_ path: String) -> Bool {
        path.first == "/" && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3F && $0 != 0x23 }
    }

    var address: LoopbackAddress {
        switch self.host {
        case .loopback: .either
        case .ipv4, .localhost: .ipv4
        case .ipv6: .ipv6
        }
    }

    /// Whether a browser's `Host` field contains this host and port.
    ///
    /// Browsers omit the default port.
    func isAuthority(_ authority: String, _ host: String?) -> Bool {
        guard let host = host?.lowercased() else { return false }
        return host == authority || host + ":80" == authority
    }

    /// Returns the host and port as the browser sends them, based on those of the server.
    func authority(of server: String) -> String {
        guard self.host == .localhost, let colon = server.lastIndex(of: ":") else { return server }
        return "localhost\(server[colon...])"
    }
}
