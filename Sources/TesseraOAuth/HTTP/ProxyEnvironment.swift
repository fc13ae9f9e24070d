// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The https proxy specified in the environment variables, along with the hosts that bypass it.
///
/// The proxy is `http://[user:password@]host[:port]` (the scheme is optional) or `socks5://host[:port]`. `NO_PROXY` is
/// a comma-separated list in curl's format. A name matches itself and its subdomains, `10.0.0.0/8` matches a network,
/// and `*` matches every host. An entry with a port (`host:8443`, `[::1]:8443`) matches only that port.
///
/// - SeeAlso: [curl, Environment](https://curl.se/docs/manpage.html#ENVIRONMENT)
package struct ProxyEnvironment: Sendable {
    /// A usable proxy.
    package struct Server: Sendable, Hashable {
        package enum Kind: Sendable, Hashable { case http, socks5 }

        package let kind: Kind
        /// The host without brackets.
        package let host: String
        package let port: Int
        /// The decoded user name, or nil for a SOCKS proxy or a URL without a user name.
        package let user: String?
        package let password: Secret?
    }

    /// The proxy, or nil if none is specified or it cannot be used.
    package let server: Server?
    /// Whether the environment specifies a proxy.
    ///
    /// Requests must not bypass a proxy just because its URL is misspelled.
    package let isNamed: Bool
    private let exceptions: [Exception]

    package init(_ environment: ProcessVariables) {
        let name = environment.first(of: "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
        self.server = name.flatMap(Self.parse)
        self.isNamed = name != nil
        self.exceptions = (environment.first(of: "NO_PROXY", "no_proxy") ?? "").lowercased()
            .split { $0 == "," || $0.isWhitespace }
            .compactMap { Exception($0) }
    }

    /// Returns whether requests to a host go through the proxy, which loopback addresses and metadata servers never do.
    package func applies(to host: String, port: Int = 443) -> Bool {
        if !self.isNamed || RequestTarget.isLoopback(host) || RequestTarget.isMetadataServer(host) { return false }
        if self.exceptions.isEmpty { return true }
        let name = host.lowercased()
        let address = Exception.address(name)
        return !self.exceptions.contains { $0.covers(name, address, port) }
    }

    /// An entry of `NO_PROXY`.
    private struct Exception {
        let name: String
        let port: Int?
        /// The address in network byte order, or nil for a name.
        let address: [UInt8]?
        /// The number of address bits to compare.
        let bits: Int

        /// Creates an entry, or returns nil if the text does not describe a host.
        init?(_ text: Substring) {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            var (host, port) = (parts[0], Int?.none)
            if Self.address(host) == nil, let colon = host.lastIndex(of: ":") {
                guard let number = Int(host[host.index(after: colon)...]) else { return nil }
                (host, port) = (host[..<colon], number)
            }
            self.name = Self.trimmed(host)
            self.port = port
            self.address = Self.address(host)
            let width = (self.address?.count ?? 0) * 8
            guard parts.count == 2 else {
                self.bits = width
                return
            }
            guard let bits = Int(parts[1]), 0...width ~= bits, width > 0 else { return nil }
            // Like curl, this compares the whole address for a prefix of 0.
            self.bits = bits == 0 ? width : bits
        }

        func covers(_ host: String, _ address: [UInt8]?, _ port: Int) -> Bool {
            if let own = self.port, own != port { return false }
            if self.name == "*" { return true }
            guard let address else {
                let host = Self.trimmed(host[...])
                return self.address == nil && (host == self.name || host.hasSuffix("." + self.name))
            }
            guard let network = self.address, network.count == address.count else { return false }
            return network.indices.allSatisfy { index in
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(8, max(0, self.bits - index * 8)))
                return (network[index] ^ address[index]) & mask == 0
            }
        }

        /// Returns the bytes of an address literal, with or without brackets.
        static func address(_ text: some StringProtocol) -> [UInt8]? {
            let text = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : String(text)
            var bytes = [UInt8](repeating: 0, count: 16)
            if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
            return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
        }

        private static func trimmed(_ name: Substring) -> String {
            var name = name.drop { $0 == "." }
            while name.last == "." { name.removeLast() }
            return String(name)
        }
    }

    private static func parse(_ text: String) -> Server? {
        var rest = text[...]
        var scheme = "http"
        if let separator = rest.firstRange(of: "://") {
            scheme = rest[..<separator.lowerBound].lowercased()
            rest = rest[separator.upperBound...]
        }
        rest = rest.prefix { $0 != "/" }
        var credentials: Substring?
        if let at = rest.lastIndex(of: "@") {
            credentials = rest[..<at]
            rest = rest[rest.index(after: at)...]
        }
        var port: Int?
        if let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") {
            guard let number = Int(rest[rest.index(after: colon)...]), 1...65_535 ~= number else { return nil }
            port = number
            rest = rest[..<colon]
        }
        let host = rest.filter { $0 != "[" && $0 != "]" }
        switch scheme {
        case _ where host.isEmpty:
            return nil
        case "http":
            let parts =
                credentials.map { $0.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) } ?? []
            let decoded = parts.map { String(decoding: PercentEncoding.decode($0.utf8) ?? [], as: UTF8.self) }
            let password = decoded.isEmpty ? nil : Secret(decoded.count > 1 ? decoded[1] : "")
            return Server(kind: .http, host: host, port: port ?? 80, user: decoded.first, password: password)
        case "socks5", "socks5h":
            return Server(kind: .socks5, host: host, port: port ?? 1080, user: nil, password: nil)
        default:
            return nil
        }
    }
}

/// The environment variables that transports use.
package struct ProcessVariables: Sendable {
    private let values: [String: String]

    package init(_ values: [String: String]) { self.values = values }

    /// The process's environment variables.
    package static var process: Self { Self(ProcessInfo.processInfo.environment) }

    /// Returns the first of these variables that is set and not empty.
    package func first(of names: String...) -> String? {
        names.lazy.compactMap { self.values[$0] }.first { !$0.isEmpty }
    }

    /// The file that contains additional trust roots, or nil if it does not exist.
    ///
    /// OpenSSL also ignores a missing file.
    package var certificateFile: String? {
        self.first(of: "SSL_CERT_FILE").flatMap { access($0, R_OK) == 0 ? $0 : nil }
    }
}
