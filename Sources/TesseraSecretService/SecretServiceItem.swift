// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraStores

/// An item of the keyring that holds one session: its value is a ``ChecksummedRecord``.
struct SecretServiceItem: Sendable {
    private static let names = ["account", "issuer", "client", "subject"]

    /// Whose it says it is; nil where it lacks an attribute, or they contradict each other.
    let account: Account?
    let value: [UInt8]

    init(_ attributes: UnsafePointer<UnsafePointer<CChar>?>, _ value: [UInt8]) {
        let texts = Self.names.indices.map { index in attributes[index].map { String(cString: $0) } }
        self.value = value
        guard let key = texts[0], let issuer = texts[1], let client = texts[2], let subject = texts[3] else {
            self.account = nil
            return
        }
        let account = Account(issuer: issuer, clientID: client, subject: subject)
        self.account = AccountKey(account).name == key ? account : nil
    }

    static func withCNames<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
        SecretServiceAttributes.withCStrings(Self.names, body)
    }

    /// What finds the item of an account.
    static func attributes(of key: AccountKey, schema: String) throws(StoreError) -> SecretServiceAttributes {
        try SecretServiceAttributes(schema: schema, [("account", key.name)])
    }

    /// What a new item of an account gets.
    static func attributes(of account: Account, schema: String) throws(StoreError) -> SecretServiceAttributes {
        try SecretServiceAttributes(
            schema: schema,
            [
                ("account", AccountKey(account).name), ("issuer", account.issuer), ("client", account.clientID),
                ("subject", account.subject),
            ]
        )
    }

    /// The item's name in a list of the keyring.
    static func label(of record: SessionRecord) -> String {
        let name = record.identity.label ?? record.identity.email ?? record.account.subject
        let text = "Tessera: \(name) at \(record.account.issuer)".unicodeScalars
        // Nothing that a list would obey instead of showing it.
        return String(
            String.UnicodeScalarView(text.filter { ![.control, .format].contains($0.properties.generalCategory) })
        )
    }

    /// The record of this item, with its mark; nil for an item without a value.
    ///
    /// Such a one is left when a keyring dies between making an item and giving it its first value: nobody saw that
    /// session.
    func record(of key: AccountKey) throws(StoreError) -> SessionRecord? {
        guard !self.value.isEmpty else { return nil }
        return try ChecksummedRecord.record(of: key, in: self.value, place: SecretService.place)
    }

    static func damaged(_ words: String) -> StoreError {
        StoreError(.corrupt, place: SecretService.place, detail: "\(words); remove the item and sign in again")
    }
}
