// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import AsyncHTTPClient
internal import TesseraOAuth

/// The proxy for https that the environment names, and the hosts that are reached without it.
///
/// The proxy is `http://[user:password@]host[:port]` (or without the scheme) or `socks5://host[:port]`. `NO_PROXY` is a
/// list with commas: a host stands for itself and its subdomains, `*` for all.
struct ProxyEnvironment: Sendable {
    /// The proxy; nil where the environment names none, or one that cannot be used.
    let server: HTTPClient.Configuration.Proxy?
    /// Whether the environment names a proxy.
    ///
    /// Nobody who set one wants requests to go past it, though it be misspelt.
    let isNamed: Bool
    private let exceptions: [Substring]

    init(_ environment: ProcessVariables) {
        let name = environment.first(of: "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
        self.server = name.flatMap(Self.parse)
        self.isNamed = name != nil
        self.exceptions = (environment.first(of: "NO_PROXY", "no_proxy") ?? "").lowercased()
            .split { $0 == "," || $0 == " " }
            .map { $0.drop { $0 == "." } }
    }

    /// Whether requests to `host` go through the proxy.
    func applies(to host: String) -> Bool {
        if !self.isNamed || RequestTarget.isLoopback(host) { return false }
        let host = host.lowercased()
        return !self.exceptions.contains { $0 == "*" || host == $0 || host.hasSuffix("." + $0) }
    }

    private static func parse(_ text: String) -> HTTPClient.Configuration.Proxy? {
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
            return .server(host: host, port: port ?? 80, authorization: credentials.flatMap(Self.authorization))
        case "socks5", "socks5h":
            return .socksServer(host: host, port: port ?? 1080)
        default:
            return nil
        }
    }

    private static func authorization(_ credentials: Substring) -> HTTPClient.Authorization? {
        let parts = credentials.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = parts.map { $0.utf8.count == 0 ? "" : Self.decodingPercents($0) }
        return .basic(username: decoded[0], password: decoded.count > 1 ? decoded[1] : "")
    }

    private static func decodingPercents(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
