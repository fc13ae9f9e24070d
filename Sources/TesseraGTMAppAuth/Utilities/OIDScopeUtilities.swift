// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// Converts between lists of scopes and the text of the `scope` parameter.
///
/// - SeeAlso: [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.3)
public final class OIDScopeUtilities: NSObject {
    private override init() {}

    /// Returns the scopes, separated by spaces.
    ///
    /// The scopes are not checked. An empty list gives an empty text.
    public class func scopes(with scopes: [String]) -> String { scopes.joined(separator: " ") }

    /// Returns the scopes in a text that separates them by spaces.
    ///
    /// Two adjacent spaces enclose an empty scope.
    public class func scopesArray(with scopes: String) -> [String] {
        scopes.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    }
}
