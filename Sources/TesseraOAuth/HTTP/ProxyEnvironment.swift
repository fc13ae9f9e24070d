// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The proxy for https that the environment names, and the hosts that are reached without it.
///
/// The proxy is `http://[user:password@]host[:port]` (or without the scheme) or `socks5://host[:port]`. `NO_PROXY` is a
/// list with commas, as curl reads it: a name stands for itself and its subdomains, `10.0.0.0/8` for a network, `*` for
/// every host. With a port (`host:8443`, `[::1]:8443`) an entry stands for that port only.
///
/// - SeeAlso: [curl, Environment](https://curl.se/docs/manpage.html#ENVIRONMENT)
package struct ProxyEnvironment: Sendable {
    /// A proxy that can be used.
    package struct Server: Sendable, Hashable {
        package enum Kind: Sendable, Hashable { case http, socks5 }

        package let kind: Kind
        /// Without brackets.
        package let host: String
        package let port: Int
        /// The decoded user name, which SOCKS proxies do not get; nil if the environment has none.
        package let user: String?
        package let password: Secret?
    }

    /// The proxy; nil where the environment names none, or one that cannot be used.
    package let server: Server?
    /// Whether the environment names a proxy.
    ///
    /// Requests must not bypass a proxy because its name is misspelt.
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

    /// Whether requests to a host go through the proxy.
    package func applies(to host: String, port: Int = 443) -> Bool {
        if !self.isNamed || RequestTarget.isLoopback(host) { return false }
        if self.exceptions.isEmpty { return true }
        let name = host.lowercased()
        let address = Exception.address(name)
        return !self.exceptions.contains { $0.covers(name, address, port) }
    }

    /// An entry of `NO_PROXY`.
    private struct Exception {
        let name: String
        let port: Int?
        /// The address in network byte order, nil for a name.
        let address: [UInt8]?
        /// How many bits of the address count.
        let bits: Int

        /// Reads an entry, nil for one that stands for no host.
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
            // curl compares the whole address then.
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

        /// The bytes of an address literal, with or without brackets.
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

/// The environment variables that a transport heeds.
package struct ProcessVariables: Sendable {
    private let values: [String: String]

    package init(_ values: [String: String]) { self.values = values }

    /// Those of this process.
    package static var process: Self { Self(ProcessInfo.processInfo.environment) }

    /// The first of these variables that is set to something.
    package func first(of names: String...) -> String? {
        names.lazy.compactMap { self.values[$0] }.first { !$0.isEmpty }
    }

    /// The file with more trust roots; as OpenSSL does, a file that is not there is passed over.
    package var certificateFile: String? {
        self.first(of: "SSL_CERT_FILE").flatMap { access($0, R_OK) == 0 ? $0 : nil }
    }
}
