// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A path of the program's own site, and nothing that a browser takes for another site: where a person goes on after a
/// sign-in.
///
/// - SeeAlso: [RFC 9700, section 4.11.1](https://www.rfc-editor.org/rfc/rfc9700.html#section-4.11.1)
public struct LocalPath: Sendable, Hashable, CustomStringConvertible {
    /// The path with its query, as it was given.
    public let path: String

    /// Checks a path, of a query's `return_to` for example.
    ///
    /// Nil for anything but one `/` followed by printable ASCII without a backslash: `//host` and `/\host` are other
    /// sites to a browser, which drops tabs and line breaks, too.
    public init?(_ path: String) {
        let bytes = Array(path.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= 2_048,
            bytes.dropFirst().first != UInt8(ascii: "/"),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        self.path = path
    }

    private init(checked path: String) { self.path = path }

    /// The beginning of the site.
    public static let root = LocalPath(checked: "/")

    /// The path.
    public var description: String { self.path }
}
