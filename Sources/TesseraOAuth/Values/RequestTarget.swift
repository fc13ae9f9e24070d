// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes

/// The URL of a request, which is checked before anything is sent.
package struct RequestTarget: Sendable {
    /// The absolute URL.
    package let url: String
    /// The origin of the URL.
    package let origin: RequestOrigin

    /// Creates a target after checking a request's URL.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - insecure: The permitted exceptions to https.
    ///   - last: An origin that was checked with the same exceptions. If the request has this origin, it is reused
    ///     without another check.
    /// - Throws: ``TransportError`` with `insecureURL` if the URL uses plain http and its host is not a permitted
    ///   loopback address, or with `invalidURL` if it is not an http or https URL.
    package init(
        _ request: HTTPRequest,
        insecure: Insecure,
        after last: RequestOrigin? = nil
    ) throws(TransportError) {
        guard let authority = request.authority, let path = request.path else { throw TransportError(.invalidURL) }
        let scheme = request.scheme
        if let last, last.isMade(of: scheme, authority) {
            self.origin = last
        } else {
            self.origin = try RequestOrigin(scheme: scheme, authority: authority, insecure: insecure)
        }
        guard let url = self.origin.url(path) else { throw TransportError(.invalidURL, host: self.origin.host) }
        self.url = url
    }

    /// Returns whether `host` is `localhost`, `[::1]` or an address in 127.0.0.0/8 in its usual notation.
    package static func isLoopback(_ host: some StringProtocol) -> Bool {
        if host == "127.0.0.1" || host == "localhost" || host == "[::1]" { return true }
        return Self.isAddress(host, in: "127.")
    }

    /// Returns whether `host` is the metadata server of a cloud machine: `metadata.google.internal`, an address in
    /// 169.254.0.0/16 in its usual notation, `[fd20:ce::254]` (Google) or `[fd00:ec2::254]` (Amazon).
    package static func isMetadataServer(_ host: some StringProtocol) -> Bool {
        if host == "metadata.google.internal" || host == "[fd20:ce::254]" || host == "[fd00:ec2::254]" { return true }
        return Self.isAddress(host, in: "169.254.")
    }

    /// Returns whether `host` is an IPv4 address with this prefix, in its usual notation.
    private static func isAddress(_ host: some StringProtocol, in prefix: String) -> Bool {
        guard host.utf8.starts(with: prefix.utf8) else { return false }
        let octets = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return octets.count == 4
            && octets.allSatisfy { octet in
                octet.count <= 3 && octet.allSatisfy(Self.isDigit)
                    && (octet.count == 1 || octet.first != UInt8(ascii: "0"))
                    && octet.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
                    && !octet.isEmpty
            }
    }

    /// Returns the host and port of `host` or `host:port`, or nil if the authority is not valid.
    package static func parts(of authority: String) -> (host: String, port: Int?)? {
        var text = authority
        guard let (length, port) = text.withUTF8({ Self.split($0) }) else { return nil }
        if length == text.utf8.count { return (authority, nil) }
        return (String(decoding: text.utf8.prefix(length), as: UTF8.self), port)
    }

    private static func split(_ bytes: UnsafeBufferPointer<UInt8>) -> (hostLength: Int, port: Int?)? {
        var length = 0
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), close > 1,
                bytes[1..<close].allSatisfy(Self.isAddressByte)
            else { return nil }
            length = close + 1
        } else {
            // Only the last label can be empty.
            var previous = UInt8(ascii: ".")
            while length < bytes.count, bytes[length] != UInt8(ascii: ":") {
                let byte = bytes[length]
                guard Self.isNameByte(byte), byte != UInt8(ascii: ".") || previous != byte else { return nil }
                previous = byte
                length += 1
            }
            guard length > 0 else { return nil }
        }
        guard length < bytes.count else { return (length, nil) }
        let digits = bytes[(length + 1)...]
        guard bytes[length] == UInt8(ascii: ":"), 1...5 ~= digits.count, digits.allSatisfy(Self.isDigit) else {
            return nil
        }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return 1...65_535 ~= port ? (length, port) : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"), UInt8(ascii: "."):
            true
        default:
            false
        }
    }
}

/// The origin of a request, which consists of a validated scheme and authority.
///
/// The authority is parsed strictly so that an HTTP library cannot interpret it differently. It can contain only a
/// registered name or address literal and a port. User information and percent-encoding are rejected.
package final class RequestOrigin: Sendable {
    /// The host, with brackets around an IPv6 address.
    package let host: String
    /// The port of the connection.
    package let port: Int
    private let scheme: String
    private let authority: String
    private let prefix: [UInt8]

    /// Creates an origin after checking a scheme and an authority.
    ///
    /// - Throws: ``TransportError`` with `insecureURL` if the scheme is plain http and the host is not a permitted
    ///   loopback address, or with `invalidURL` if they do not form an http or https origin.
    init(scheme: String?, authority: String, insecure: Insecure) throws(TransportError) {
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

    /// Returns whether the origin was created from exactly these strings.
    func isMade(of scheme: String?, _ authority: String) -> Bool {
        authority.equals(ascii: self.authority) && scheme?.equals(ascii: self.scheme) ?? false
    }

    /// Returns the absolute URL for `path`, or nil if the path is not valid.
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
