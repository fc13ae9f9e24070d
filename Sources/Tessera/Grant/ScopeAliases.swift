// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// Spellings of one and the same scope at a provider, for example `email` and
/// `https://www.googleapis.com/auth/userinfo.email` at Google.
public struct ScopeAliases: Sendable, Hashable {
    /// From every other spelling to the one that counts.
    public let canonicalByAlias: [Scope: Scope]

    /// A table of spellings; empty by default.
    public init(_ canonicalByAlias: [Scope: Scope] = [:]) { self.canonicalByAlias = canonicalByAlias }

    /// The spelling that counts.
    public func canonical(_ scope: Scope) -> Scope {
        self.canonicalByAlias.isEmpty ? scope : self.canonicalByAlias[scope] ?? scope
    }

    /// The scopes of both lists, each once, in order.
    package func union(_ first: [Scope], _ second: [Scope]) -> [Scope] {
        var seen: Set<Scope> = []
        return (first + second).filter { seen.insert(self.canonical($0)).inserted }
    }
}
