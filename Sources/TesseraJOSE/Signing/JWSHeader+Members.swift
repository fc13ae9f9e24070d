// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

extension JWSHeader {
    /// The members of the header of a token that is about to be signed; a further member replaces one of its name.
    static func members(
        algorithm: String,
        keyID: String?,
        type: String?,
        replacedBy others: [JSONMember]
    ) -> [JSONMember] {
        let usual = [("alg", algorithm), ("kid", keyID), ("typ", type)]
            .compactMap { name, value in value.map { JSONMember(name: name, value: .string($0)) } }
        return usual.filter { member in !others.contains { $0.name == member.name } } + others
    }
}
