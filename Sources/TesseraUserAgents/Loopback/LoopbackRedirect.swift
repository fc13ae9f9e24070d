// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
public import Tessera

/// The loopback redirect URI on which a ``SystemBrowser`` expects the answer.
///
/// - SeeAlso: [RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.3)
public struct LoopbackRedirect: Sendable, Hashable {
    /// How the machine is named in the URI.
    public enum Host: Sendable, Hashable {
        /// `127.0.0.1`, or `[::1]` on a machine that has no IPv4.
        case loopback
        /// `127.0.0.1`.
        case ipv4
        /// `[::1]`.
        case ipv6
        /// `localhost`, for providers that have nothing else registered. Discouraged: the name may be resolved
        /// otherwise, and to an address on which another program listens (RFC 8252, section 8.3).
        case localhost
    }

    /// How the machine is named.
    public var host: Host
    /// The path, with its slash: compared exactly.
    public var path: String
    /// A fixed port, for providers that compare it; 0 for a random one.
    public var port: UInt16

    /// A redirect URI of these parts.
    public init(path: String = "/", port: UInt16 = 0, host: Host = .loopback) {
        self.path = path
        self.port = port
        self.host = host
    }

    /// The redirect URI of that text: `http://127.0.0.1:8080/callback`, `http://[::1]/`, `http://localhost:8080/`.
    ///
    /// Without a port it is a random one.
    ///
    /// - Throws: `SignInError` `invalidConfiguration` for anything else.
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

    /// Whether the path can be compared with a request's: a slash and what a path may hold, no query, no fragment.
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

    /// The host and the port as a browser names them, for those of the server.
    func authority(of server: String) -> String {
        guard self.host == .localhost, let colon = server.lastIndex(of: ":") else { return server }
        return "localhost\(server[colon...])"
    }
}
