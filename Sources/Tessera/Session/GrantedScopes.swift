// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// A session's requested and granted scopes.
///
/// They can differ, because the user can deselect scopes on the consent page.
public struct GrantedScopes: Sendable, Hashable {
    /// All scopes requested in this session, in the order of the requests.
    public let requested: [Scope]
    /// All scopes that the provider reported as granted.
    public let granted: [Scope]
    /// The scopes that the provider knows under more than one name.
    public let aliases: ScopeAliases

    /// Creates a value from a session's requested and granted scopes.
    public init(requested: [Scope], granted: [Scope], aliases: ScopeAliases = ScopeAliases()) {
        self.requested = requested
        self.granted = granted
        self.aliases = aliases
    }

    /// Returns whether a scope was granted, under any of its names.
    public func contains(_ scope: Scope) -> Bool {
        let wanted = self.aliases.canonical(scope)
        return self.granted.contains { self.aliases.canonical($0) == wanted }
    }

    /// Returns whether all of the scopes were granted.
    public func contains(_ scopes: some Sequence<Scope>) -> Bool { scopes.allSatisfy { self.contains($0) } }

    /// The scopes that were requested but not granted.
    public var missing: [Scope] { self.requested.filter { !self.contains($0) } }

    /// The scopes that were granted but not requested in this session, such as scopes from earlier sign-ins.
    ///
    /// They do not include `openid`.
    public var unrequested: [Scope] {
        let requested = Set(self.requested.map(self.aliases.canonical) + [.openID])
        return self.granted.filter { !requested.contains(self.aliases.canonical($0)) }
    }
}

/// Alternative names for the same scope at a provider.
///
/// For example, Google treats `email` and `https://www.googleapis.com/auth/userinfo.email` as one scope.
public struct ScopeAliases: Sendable, Hashable {
    /// The canonical name of each alias.
    public let canonicalByAlias: [Scope: Scope]

    /// Creates a table of aliases, which is empty by default.
    public init(_ canonicalByAlias: [Scope: Scope] = [:]) { self.canonicalByAlias = canonicalByAlias }

    /// Returns the canonical name of a scope.
    public func canonical(_ scope: Scope) -> Scope {
        self.canonicalByAlias.isEmpty ? scope : self.canonicalByAlias[scope] ?? scope
    }

    /// Returns the scopes from both lists in order, without duplicates.
    package func union(_ first: [Scope], _ second: [Scope]) -> [Scope] {
        var seen: Set<Scope> = []
        return (first + second).filter { seen.insert(self.canonical($0)).inserted }
    }
}
