// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// The parameters of a user's sign-in that requests for additional scopes repeat, even after a restart.
struct RepeatedParameters: Sendable, Hashable {
    var claims: Set<GIDClaim> = []
    var serverClientID: String?
    var openIDRealm: String?

    /// The names under which a record contains the parameters, in the provider's settings at sign-in.
    ///
    /// Only this module reads them. A provider would ignore them (RFC 6749, section 3.1).
    private enum Name {
        static let claims = "gid.claims"
        static let serverClientID = "gid.server_client_id"
        static let openIDRealm = "gid.openid_realm"
    }

    /// Creates the parameters of a sign-in.
    init(claims: Set<GIDClaim>, _ configuration: GIDConfiguration) {
        self.claims = claims
        self.serverClientID = configuration.serverClientID
        self.openIDRealm = configuration.openIDRealm
    }

    /// Creates the parameters that a session's record contains.
    ///
    /// If the record does not name the app's server, it is the audience of the ID token.
    init(_ session: OAuthSession) {
        let stored = session.provider.authorizationParameters
        self.claims = stored[Name.claims].map { GIDClaim.claims($0) } ?? []
        self.serverClientID = stored[Name.serverClientID] ?? Self.foreignAudience(of: session)
        self.openIDRealm = stored[Name.openIDRealm]
    }

    private static func foreignAudience(of session: OAuthSession) -> String? {
        let audience = session.idToken.flatMap { try? IDTokenClaims(unverified: $0) }?.audience ?? []
        return audience.contains(session.account.clientID) ? nil : audience.first
    }

    /// Adds the parameters to the stored record of a session.
    ///
    /// If the store fails, they are not repeated after a restart.
    func save(with session: OAuthSession, in store: any SessionStore) async {
        var parameters: [String: String] = [:]
        if !self.claims.isEmpty { parameters[Name.claims] = GIDClaim.text(self.claims) }
        parameters[Name.serverClientID] = self.serverClientID
        parameters[Name.openIDRealm] = self.openIDRealm
        guard !parameters.isEmpty else { return }
        try? await session.runtime.suspension.activity("Saving a sign-in") { [parameters] _ in
            try await store.update(session.account) { entry in
                guard var record = try await entry.load() else { return }
                // As when an account is selected, the generation stays unchanged, and an unfinished refresh marked.
                record.provider.authorizationParameters.merge(parameters) { $1 }
                try await entry.save(record)
            }
        }
    }
}
