// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Scopes as the one text that is sent.
enum ScopeText {
    /// The scopes with a space between; nil where there is none (RFC 6749, section 3.3).
    static func joined(_ scopes: [String]?) -> String? {
        guard let scopes, !scopes.isEmpty else { return nil }
        return scopes.joined(separator: " ")
    }
}
