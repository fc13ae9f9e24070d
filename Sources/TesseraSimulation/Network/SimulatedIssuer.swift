// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// The issuers of a simulated provider, at which the same users have accounts for the same client ID.
///
/// Each account has a name in operations, events and tokens. It is the subject, followed by `-openid` if the account is
/// at the second issuer.
enum SimulatedIssuer: Sendable, Hashable, CaseIterable {
    /// An issuer without ID tokens.
    case oauth
    /// An issuer with ID tokens.
    case openID

    private static let suffix = "-openid"

    /// Creates the issuer of an account.
    init(of name: String) { self = name.hasSuffix(Self.suffix) ? .openID : .oauth }

    /// The issuer identifier.
    var url: String { self == .oauth ? SimulatedProvider.issuer : "https://openid.example" }
    /// The scopes that programs request.
    var scopes: [Scope] { self == .oauth ? ["files"] : ["openid", "files"] }
    /// The host of the API.
    var apiHost: String { self == .oauth ? "api.example" : "api.openid.example" }
    /// The origins that may receive the tokens of an account.
    var origins: [String] { [self.url, "https://\(self.apiHost)"] }

    /// Returns the name of a user's account.
    func name(of subject: String) -> String { self == .oauth ? subject : subject + Self.suffix }

    /// Returns the subject of an account.
    func subject(of name: String) -> String { self == .oauth ? name : String(name.dropLast(Self.suffix.count)) }
}

extension Account {
    /// Creates the account with a name.
    init(named name: String) {
        let issuer = SimulatedIssuer(of: name)
        self.init(issuer: issuer.url, clientID: SimulatedProvider.clientID, subject: issuer.subject(of: name))
    }

    /// The name of the account in a simulation.
    var name: String {
        (self.issuer == SimulatedIssuer.openID.url ? SimulatedIssuer.openID : .oauth).name(of: self.subject)
    }
}
