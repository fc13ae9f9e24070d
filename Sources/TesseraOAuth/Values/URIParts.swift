// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The parts of an absolute URI, split as described in RFC 3986, appendix B.
///
/// Unlike Foundation's `URL`, which repairs its input, this type rejects URIs that are not valid.
package struct URIParts: Sendable, Hashable {
    /// The scheme, in lowercase.
    package let scheme: String
    /// The text before `@`, or nil if there is no `@`.
    package let userinfo: String?
    /// The host in lowercase, with brackets around an IPv6 address, or nil if the URI has no authority.
    package let host: String?
    /// The port, or nil if it is not specified.
    package let port: Int?
    /// The path, which may be empty.
    package let path: String
    /// The query, without the `?`.
    package let query: String?
    /// The fragment, without the `#`.
    package let fragment: String?

    /// Splits an absolute URI, or returns nil if it is not valid.
    ///
    /// Spaces, control characters, non-ASCII characters and forbidden characters are rejected, as is a host that is
    /// neither a plain name nor an address literal.
    package init?(_ text: String) {
        // The text is ASCII, so it is searched byte by byte, which is faster.
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy(Self.isAllowed), let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            Self.isScheme(bytes[..<colon])
        else { return nil }
        var rest = bytes[(colon + 1)...]
        self.scheme = Self.text(bytes[..<colon]).lowercased()
        self.fragment = Self.cut(&rest, at: UInt8(ascii: "#"))
        self.query = Self.cut(&rest, at: UInt8(ascii: "?"))
        guard rest.starts(with: "//".utf8) else {
            (self.userinfo, self.host, self.port) = (nil, nil, nil)
            self.path = Self.text(rest)
            return
        }
        rest = rest.dropFirst(2)
        let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        var authority = rest[..<slash]
        self.path = Self.text(rest[slash...])
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            self.userinfo = Self.text(authority[..<at])
            authority = authority[(at + 1)...]
        } else {
            self.userinfo = nil
        }
        guard let parts = RequestTarget.parts(of: Self.text(authority)) else { return nil }
        self.host = parts.host.lowercased()
        self.port = parts.port
    }

    /// The port of the connection, which defaults to 443 for https and 80 for http.
    package var effectivePort: Int? {
        switch (self.port, self.scheme) {
        case (let port?, _): port
        case (nil, "https"): 443
        case (nil, "http"): 80
        default: nil
        }
    }

    /// The host and, if specified, the port, as in `host` or `host:port`.
    package var authority: String? {
        guard let host else { return nil }
        return self.port.map { "\(host):\($0)" } ?? host
    }

    /// The path and query as they appear in an HTTP request line.
    package var requestTarget: String {
        (self.path.isEmpty ? "/" : self.path) + (self.query.map { "?" + $0 } ?? "")
    }

    /// Whether the host is a loopback address literal, or `localhost`.
    package var isLoopback: Bool {
        self.host.map { RequestTarget.isLoopback($0) } ?? false
    }

    /// Returns whether a request may be sent to the URI.
    ///
    /// See ``Insecure/permits(scheme:host:)``.
    package func isSecure(insecure: Insecure) -> Bool {
        self.host.map { insecure.permits(scheme: self.scheme, host: $0) } ?? false
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func cut(_ rest: inout ArraySlice<UInt8>, at separator: UInt8) -> String? {
        guard let index = rest.firstIndex(of: separator) else { return nil }
        defer { rest = rest[..<index] }
        return Self.text(rest[(index + 1)...])
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first.isASCIILetter else { return false }
        return bytes.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
    }

    /// Returns whether a byte is printable ASCII except space, `"`, `<`, `>`, `\`, `^`, `` ` ``, `{`, `|` and `}`.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        guard (0x21...0x7E).contains(byte) else { return false }
        switch byte {
        case 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B, 0x7C, 0x7D: return false
        default: return true
        }
    }

    /// Returns whether the scheme, host and port of two URIs are equal.
    package func hasOrigin(_ other: URIParts) -> Bool {
        self.scheme == other.scheme && self.host == other.host && self.effectivePort == other.effectivePort
    }
}
