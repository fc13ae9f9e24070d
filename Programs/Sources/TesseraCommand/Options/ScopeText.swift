// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import Tessera

/// Scopes as the command line names them: one or several in each value, with spaces between them.
enum ScopeText {
    /// Rejects values that name no scope.
    ///
    /// - Parameters:
    ///   - texts: The values.
    ///   - name: The option or the argument.
    /// - Throws: `ValidationError`.
    static func validate(_ texts: [String], of name: String) throws {
        guard texts.contains(where: { $0.allSatisfy(\.isWhitespace) }) else { return }
        throw ValidationError("\(name) cannot be empty: name a scope, such as email.")
    }

    /// The scopes that the values name.
    static func scopes(_ texts: [String]) -> [Scope] {
        texts.flatMap { $0.split(whereSeparator: \.isWhitespace) }.map { Scope(String($0)) }
    }
}
