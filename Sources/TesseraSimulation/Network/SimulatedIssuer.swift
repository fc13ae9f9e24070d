// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// The issuers of a simulated provider, at which the same users have accounts for the same client ID.
///
/// Each account has a name in operations, events and tokens. It is the subject, followed by `-openid` if the account is
/// at the second issuer, or by `-work` if it is at the third one.
enum SimulatedIssuer: Sendable, Hashable, CaseIterable {
    /// An issuer without ID tokens.
    case oauth
    /// An issuer with ID tokens.
    case openID
    /// An issuer with ID tokens whose metadata is fetched, and whose clients can have keys.
    case work

    private var suffix: String {
        switch self {
        case .oauth: ""
        case .openID: "-openid"
        case .work: "-work"
        }
    }

    /// Creates the issuer of an account.
    init(of name: String) { self = Self.allCases.last { name.hasSuffix($0.suffix) } ?? .oauth }

    /// The issuer identifier.
    var url: String {
        switch self {
        case .oauth: SimulatedProvider.issuer
        case .openID: "https://openid.example"
        case .work: "https://work.example"
        }
    }
    /// The scopes that programs request.
    var scopes: [Scope] {
        switch self {
        case .oauth: ["files"]
        case .openID: ["openid", "files"]
        case .work: ["openid", "email", "files"]
        }
    }
    /// The host of the API.
    var apiHost: String {
        switch self {
        case .oauth: "api.example"
        case .openID: "api.openid.example"
        case .work: "api.work.example"
        }
    }
    /// The origins that may receive the tokens of an account.
    var origins: [String] { [self.url, "https://\(self.apiHost)"] }

    /// Returns whether the issuer or its API has an origin, such as that of the API's host for a region.
    func accepts(_ origin: String) -> Bool {
        self.origins.contains(origin) || origin == "https://eu.\(self.apiHost)"
    }

    /// Returns the name of a user's account.
    func name(of subject: String) -> String { subject + self.suffix }

    /// Returns the subject of an account.
    func subject(of name: String) -> String { String(name.dropLast(self.suffix.count)) }
}

extension Account {
    /// Creates the account with a name.
    init(named name: String) {
        let issuer = SimulatedIssuer(of: name)
        self.init(issuer: issuer.url, clientID: SimulatedProvider.clientID, subject: issuer.subject(of: name))
    }

    /// The name of the account in a simulation.
    var name: String {
        (SimulatedIssuer.allCases.first { $0.url == self.issuer } ?? .oauth).name(of: self.subject)
    }
}
