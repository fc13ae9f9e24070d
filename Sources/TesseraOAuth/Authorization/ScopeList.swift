// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Scopes as one text: the `scope` parameter.
///
/// - SeeAlso: [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.3)
package enum ScopeList {
    /// The scopes, each once, with a space between.
    package static func text(_ scopes: [Scope]) throws(InvalidRequest) -> String {
        var seen: Set<Scope> = []
        var texts: [String] = []
        for scope in scopes where seen.insert(scope).inserted {
            guard Self.isScopeToken(scope.rawValue) else {
                throw InvalidRequest("scope", reason: "\"\(UntrustedText.printable(scope.rawValue))\" is no scope")
            }
            texts.append(scope.rawValue)
        }
        return texts.joined(separator: " ")
    }

    /// The scopes of a text.
    package static func scopes(_ text: String) -> [Scope] {
        var seen: Set<Scope> = []
        return text.split(separator: " ").map { Scope(String($0)) }.filter { seen.insert($0).inserted }
    }

    // scope-token = 1*( %x21 / %x23-5B / %x5D-7E )
    private static func isScopeToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}
