// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A redirect URI scheme that belongs to one app, based on the developer's domain name in reverse order.
///
/// - SeeAlso: [RFC 8252, section 7.1](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public struct PrivateScheme: Sendable, Hashable {
    /// The scheme in lowercase, without the colon.
    public let name: String

    /// Creates a scheme, or returns nil if the name is invalid for a reason that ``objection(to:)`` returns.
    public init?(_ name: String) {
        guard Self.objection(to: name) == nil else { return nil }
        self.name = name.lowercased()
    }

    /// Creates a scheme from a URI, or returns nil if the URI's scheme is not private.
    public init?(of uri: String) {
        guard let colon = uri.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        self.init(String(uri[..<colon]))
    }

    /// Returns the reason that a name is not a valid private scheme, or nil if it is valid.
    public static func objection(to name: String) -> String? {
        // RFC 3986, section 3.1: ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
        let isScheme = name.utf8.enumerated()
            .allSatisfy { index, byte in
                byte.isASCIILetter || index > 0 && (byte.isASCIIAlphanumeric || "+-.".utf8.contains(byte))
            }
        guard isScheme, !name.isEmpty else {
            return "it is not a URI scheme, which is a letter followed by letters, digits, '+', '-' or '.'"
        }
        // RFC 8252, section 7.1: "MUST use a URI scheme based on a domain name under their control"
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1 else { return "it has no dot: a private scheme is a domain name in reverse order" }
        guard labels.allSatisfy({ !$0.isEmpty }) else { return "it has an empty part between its dots" }
        guard name.utf8.count <= 200 else { return "it is longer than 200 characters" }
        guard !Self.registered.contains(name.lowercased()) else { return "it is the registered scheme of a protocol" }
        return nil
    }

    /// Schemes that contain a dot but are in the IANA registry of URI schemes, so they are not private.
    private static let registered: Set<String> = [
        "iris.beep", "iris.lwz", "iris.xpc", "iris.xpcs", "soap.beep", "soap.beeps", "vnd.ms.radio", "xmlrpc.beep",
        "xmlrpc.beeps", "z39.50", "z39.50r", "z39.50s",
    ]
}
