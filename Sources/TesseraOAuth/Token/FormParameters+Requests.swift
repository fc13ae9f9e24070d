// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What requests to several endpoints have in common.
extension FormParameters {
    /// Names that the requests themselves write, and those of the client's proof.
    private static let reservedNames: Set<String> = [
        "grant_type", "client_id", "client_secret", "client_assertion", "client_assertion_type", "scope", "resource",
    ]

    /// `scope`, where there are scopes.
    mutating func append(scopes: [Scope]) throws(InvalidRequestError) {
        if !scopes.isEmpty { self.append("scope", try ScopeList.text(scopes)) }
    }

    /// A caller's own parameters; none of those that the request has, may have (`reserved`) or gets with the proof.
    mutating func append(
        additional parameters: some Sequence<(key: String, value: String)>,
        reserved: Set<String> = []
    ) throws(InvalidRequestError) {
        let written = Self.reservedNames.union(reserved).union(self.parameters.map(\.name))
        for (name, value) in parameters {
            guard !written.contains(name) else {
                throw InvalidRequestError(name, reason: "this parameter is written by the request itself")
            }
            self.append(name, value)
        }
    }
}
