// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// Individual claims to request from the provider with the `claims` parameter.
///
/// A provider can omit a claim that it does not have, even an essential one. However, the ID token is rejected if an
/// essential `auth_time` is missing, or if its `acr` is not one of the values requested for an essential `acr`.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.5](https://openid.net/specs/openid-connect-core-1_0.html#ClaimsParameter)
public struct ClaimsRequest: Sendable, Hashable {
    /// The requirements for one claim.
    public struct Claim: Sendable, Hashable {
        /// Whether the app requires the claim.
        public var isEssential: Bool
        /// The acceptable values in order of preference, or an empty array to accept any value.
        public var values: [JSONNode]

        /// Creates the requirements for one claim.
        public init(isEssential: Bool = false, values: [JSONNode] = []) {
            self.isEssential = isEssential
            self.values = values
        }

        /// A claim that is not essential, with any value.
        public static let voluntary = Claim()
        /// An essential claim with any value.
        public static let essential = Claim(isEssential: true)

        var node: JSONNode {
            var members: [JSONMember] = []
            if self.isEssential { members.append(JSONMember(name: "essential", value: true)) }
            if self.values.count > 1 { members.append(JSONMember(name: "values", value: .array(self.values))) }
            if self.values.count == 1 { members.append(JSONMember(name: "value", value: self.values[0])) }
            return members.isEmpty ? .null : .object(members)
        }
    }

    /// The claims to return in the ID token, by name.
    public var idToken: [String: Claim]
    /// The claims to return from the UserInfo endpoint, by name.
    public var userInfo: [String: Claim]

    /// Creates a request for claims.
    public init(idToken: [String: Claim] = [:], userInfo: [String: Claim] = [:]) {
        self.idToken = idToken
        self.userInfo = userInfo
    }

    /// The accepted values for the ID token's `acr` (section 5.5.1.1), or an empty array if any value is accepted.
    var essentialACRValues: [String] {
        guard let acr = self.idToken["acr"], acr.isEssential else { return [] }
        return acr.values.compactMap(\.stringValue)
    }

    /// Whether the ID token must contain `auth_time` (section 2).
    var requiresAuthenticationTime: Bool { self.idToken["auth_time"]?.isEssential ?? false }

    /// The value of the `claims` parameter, or nil if no claims are requested.
    var parameter: String? {
        let members = [("id_token", self.idToken), ("userinfo", self.userInfo)].filter { !$0.1.isEmpty }
        guard !members.isEmpty else { return nil }
        return JSONNode.object(members.map { JSONMember(name: $0.0, value: Self.node($0.1)) }).text()
    }

    private static func node(_ claims: [String: Claim]) -> JSONNode {
        .object(claims.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value.node) })
    }
}
