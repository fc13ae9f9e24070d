// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The server that requests go to: scheme and authority, checked against the transport contract.
///
/// The authority is taken apart here, strictly, so that no HTTP library's own idea of a URL can lead elsewhere: no user
/// information, no percent-encoding, nothing but a registered name or an address literal and a port.
package final class RequestOrigin: Sendable {
    /// The host, an IPv6 literal in its brackets.
    package let host: String
    /// The port that a connection uses.
    package let port: Int
    private let scheme: String
    private let authority: String
    private let prefix: [UInt8]

    /// Checks a scheme and an authority.
    ///
    /// - Throws: ``TransportError`` `insecureURL` for plain http to anything but a loopback address, and to that without
    ///   the permission; `invalidURL` for what is no http origin at all.
    init(scheme: String?, authority: String, permitting insecure: Insecure) throws(TransportError) {
        guard let (host, port) = RequestTarget.parts(of: authority) else { throw TransportError(.invalidURL) }
        guard let scheme, scheme == "https" || scheme == "http" else { throw TransportError(.invalidURL, host: host) }
        guard insecure.permits(scheme: scheme, host: host) else {
            throw TransportError(.insecureURL, host: host)
        }
        self.host = host
        self.port = port ?? (scheme == "https" ? 443 : 80)
        self.scheme = scheme
        self.authority = authority
        self.prefix = Array("\(scheme)://\(authority)".utf8)
    }

    /// Whether these make this very origin, as they are written.
    func isMade(of scheme: String?, _ authority: String) -> Bool {
        authority.equals(ascii: self.authority) && scheme?.equals(ascii: self.scheme) ?? false
    }

    /// The absolute URL of `path`, nil for what is no path.
    func url(_ path: String) -> String? {
        var path = path
        return path.withUTF8 { path in
            guard path.first == UInt8(ascii: "/"), path.allSatisfy(Self.isPathByte) else { return nil }
            return String(unsafeUninitializedCapacity: self.prefix.count + path.count) { url in
                let end = url.initialize(fromContentsOf: self.prefix)
                return url[end...].initialize(fromContentsOf: path)
            }
        }
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "\\")
    }
}
