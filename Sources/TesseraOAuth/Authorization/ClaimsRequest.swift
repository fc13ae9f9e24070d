// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// Single claims that are asked for, and where they should come: the `claims` parameter.
///
/// A provider may leave out what it does not have, also what is essential. An essential `acr` with values, and an
/// essential `auth_time`, are demanded of the ID token.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.5](https://openid.net/specs/openid-connect-core-1_0.html#ClaimsParameter)
public struct ClaimsRequest: Sendable, Hashable {
    /// How one claim is asked for.
    public struct Claim: Sendable, Hashable {
        /// Whether the program cannot do without it.
        public var isEssential: Bool
        /// Values that it should have, the preferred one first; none: whatever it is.
        public var values: [JSONNode]

        /// A claim that is asked for.
        public init(isEssential: Bool = false, values: [JSONNode] = []) {
            self.isEssential = isEssential
            self.values = values
        }

        /// Asked for in the ordinary way.
        public static let voluntary = Claim()
        /// Asked for as necessary.
        public static let essential = Claim(isEssential: true)

        var node: JSONNode {
            var members: [JSONMember] = []
            if self.isEssential { members.append(JSONMember(name: "essential", value: true)) }
            if self.values.count > 1 { members.append(JSONMember(name: "values", value: .array(self.values))) }
            if self.values.count == 1 { members.append(JSONMember(name: "value", value: self.values[0])) }
            return members.isEmpty ? .null : .object(members)
        }
    }

    /// Claims for the ID token, by name.
    public var idToken: [String: Claim]
    /// Claims for the UserInfo endpoint, by name.
    public var userInfo: [String: Claim]

    /// Claims, none by default.
    public init(idToken: [String: Claim] = [:], userInfo: [String: Claim] = [:]) {
        self.idToken = idToken
        self.userInfo = userInfo
    }

    /// Section 5.5.1.1: of these the ID token's `acr` has to be one; none where it may be any.
    var essentialACRValues: [String] {
        guard let acr = self.idToken["acr"], acr.isEssential else { return [] }
        return acr.values.compactMap { if case .string(let value) = $0 { value } else { nil } }
    }

    /// Section 2: then `auth_time` is required.
    var requiresAuthenticationTime: Bool { self.idToken["auth_time"]?.isEssential ?? false }

    /// The parameter's value; nil where nothing is asked for.
    var parameter: String? {
        let members = [("id_token", self.idToken), ("userinfo", self.userInfo)].filter { !$0.1.isEmpty }
        guard !members.isEmpty else { return nil }
        return JSONNode.object(members.map { JSONMember(name: $0.0, value: Self.node($0.1)) }).text()
    }

    private static func node(_ claims: [String: Claim]) -> JSONNode {
        .object(claims.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value.node) })
    }
}
