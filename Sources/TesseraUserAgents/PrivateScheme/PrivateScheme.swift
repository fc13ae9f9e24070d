// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The scheme of a redirect URI that belongs to one app: a domain name of its developer in reverse order.
///
/// - SeeAlso: [RFC 8252, section 7.1](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public struct PrivateScheme: Sendable, Hashable {
    /// The scheme without its colon, in lower case: schemes that differ in case alone are the same.
    public let name: String

    /// Creates a scheme, or returns nil if ``objection(to:)`` says why the name cannot be used.
    public init?(_ name: String) {
        guard Self.objection(to: name) == nil else { return nil }
        self.name = name.lowercased()
    }

    /// Creates the scheme of a URI, or returns nil if it is not a private one.
    public init?(of uri: String) {
        guard let colon = uri.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        self.init(String(uri[..<colon]))
    }

    /// Returns why a name cannot be used as a private scheme; nil if it can.
    public static func objection(to name: String) -> String? {
        // RFC 3986, section 3.1: ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
        let isScheme = name.utf8.enumerated()
            .allSatisfy { index, byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
                case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): index > 0
                default: false
                }
            }
        guard isScheme, !name.isEmpty else {
            return "it is no scheme: a letter, then letters, digits, '+', '-' and '.'"
        }
        // RFC 8252, section 7.1: "MUST use a URI scheme based on a domain name under their control"
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1 else { return "it has no dot: a private scheme is a domain name in reverse order" }
        guard labels.allSatisfy({ !$0.isEmpty }) else { return "a part between its dots is empty" }
        guard name.utf8.count <= 200 else { return "it is longer than 200 characters" }
        guard !Self.registered.contains(name.lowercased()) else { return "it is a protocol's scheme" }
        return nil
    }

    /// Those with a dot that belong to everybody (IANA's list of URI schemes).
    private static let registered: Set<String> = [
        "iris.beep", "iris.lwz", "iris.xpc", "iris.xpcs", "soap.beep", "soap.beeps", "vnd.ms.radio", "xmlrpc.beep",
        "xmlrpc.beeps", "z39.50", "z39.50r", "z39.50s",
    ]
}
