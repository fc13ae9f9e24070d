// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera

/// How an account is written into an item's attributes, which the keychain does not encrypt.
enum KeychainLabel {
    /// An item for an account, without data: named by the account's hash.
    static func item(of account: Account, in service: String, label: String) -> KeychainItem {
        var attributes: [UInt8] = []
        for text in [account.issuer, account.clientID, account.subject] {
            attributes += BigEndian.bytes(of: UInt32(clamping: text.utf8.count)) + Array(text.utf8)
        }
        return KeychainItem(
            service: service,
            account: AccountKey(account).name,
            label: label,
            attributes: attributes,
            data: []
        )
    }

    /// The account in an item's attributes, nil for somebody else's item, or where they are not those of its name.
    static func account(of item: KeychainItem) -> Account? {
        var reader = ByteReader(item.attributes[...])
        guard let issuer = reader.text(), let client = reader.text(), let subject = reader.text(), reader.isAtEnd
        else { return nil }
        let account = Account(issuer: issuer, clientID: client, subject: subject)
        return AccountKey(account).name == item.account ? account : nil
    }

    /// What a person sees: `Tessera: ada@example.com at Google`.
    static func text(_ record: SessionRecord) -> String {
        "Tessera: \(record.identity.displayName ?? record.account.subject) at \(record.provider.name)"
    }
}
