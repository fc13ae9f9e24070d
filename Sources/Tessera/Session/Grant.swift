// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// What was asked for and what the person really granted: scopes can be unticked on the consent page.
public struct Grant: Sendable, Hashable {
    /// Every scope that was asked for in this session, in the order of asking.
    public let requested: [Scope]
    /// Every scope that the provider says was granted.
    public let granted: [Scope]
    /// Which scopes are two spellings of one.
    public let aliases: ScopeAliases

    /// A grant.
    public init(requested: [Scope], granted: [Scope], aliases: ScopeAliases = ScopeAliases()) {
        self.requested = requested
        self.granted = granted
        self.aliases = aliases
    }

    /// Whether a scope was granted, under any of its spellings.
    public func contains(_ scope: Scope) -> Bool {
        let wanted = self.aliases.canonical(scope)
        return self.granted.contains { self.aliases.canonical($0) == wanted }
    }

    /// Whether every one of the scopes was granted.
    public func contains(_ scopes: some Sequence<Scope>) -> Bool { scopes.allSatisfy { self.contains($0) } }

    /// What was asked for and not granted.
    public var missing: [Scope] { self.requested.filter { !self.contains($0) } }

    /// What was granted without having been asked for in this session: earlier grants that the provider added.
    ///
    /// An unasked `openid` is no surprise and not in it.
    public var unrequested: [Scope] {
        let asked = Set(self.requested.map(self.aliases.canonical) + [.openID])
        return self.granted.filter { !asked.contains(self.aliases.canonical($0)) }
    }
}

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
