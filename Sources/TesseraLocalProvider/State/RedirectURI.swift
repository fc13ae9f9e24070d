// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The rule by which a redirect URI belongs to a client.
enum RedirectURI {
    /// Whether the client may be answered at that address: the exact text of a registered one, or, for an installed
    /// client, any port and path of a loopback address (RFC 8252, section 7.3).
    static func belongs(_ uri: String, to client: LocalProviderClient) -> Bool {
        guard uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !uri.contains("#") else { return false }
        return client.redirectURIs.contains(uri) || client.kind == .installed && self.isLoopback(uri)
    }

    private static func isLoopback(_ uri: String) -> Bool {
        let hosts = ["http://127.0.0.1", "http://[::1]", "http://localhost"]
        guard let host = hosts.first(where: uri.hasPrefix), !uri.contains("\\") else { return false }
        var rest = uri.dropFirst(host.count)
        if rest.first == ":" {
            rest = rest.dropFirst()
            let digits = rest.prefix { $0 != "/" && $0 != "?" }
            guard digits.allSatisfy(\.isASCIIDigit), let port = UInt16(digits), port > 0 else { return false }
            rest = rest.dropFirst(digits.count)
        }
        return rest.isEmpty || rest.first == "/" || rest.first == "?"
    }

    /// The source expression that lets a form be answered by a redirect to that address.
    static func formActionSource(_ uri: String) -> String {
        guard let end = uri.firstRange(of: "://")?.upperBound else {
            return uri.prefix { $0 != ":" } + ":"
        }
        let origin = uri.prefix(upTo: end) + uri.suffix(from: end).prefix { $0 != "/" && $0 != "?" }
        // A host source has no syntax for IPv6 literals.
        return origin.contains("[") ? String(uri.prefix(upTo: end).dropLast(2)) : String(origin)
    }
}

extension Character {
    /// Whether the character is one of 0…9.
    var isASCIIDigit: Bool { self.isASCII && self.isNumber }
}
#endif
