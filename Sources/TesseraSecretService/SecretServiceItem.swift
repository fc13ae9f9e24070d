// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera

/// An item of the keyring that holds one session.
///
/// Its value is the record's text; while a refresh is under way a line before it is the refresh's mark. Both change
/// together, so that a mark can neither outlive its record nor be lost with it.
struct SecretServiceItem: Sendable {
    private static let names = ["account", "issuer", "client", "subject"]
    private static let markWord = "refresh"

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

    /// The value that keeps a record and its mark.
    static func value(of record: SessionRecord) -> [UInt8] {
        guard let mark = record.refreshMark else { return record.encoded() }
        let time = mark.begunAt.timeIntervalSinceReferenceDate.bitPattern
        return Array("\(Self.markWord) \(mark.generation) \(String(time, radix: 16))\n".utf8) + record.encoded()
    }

    /// The record of this item, with its mark; nil for an item without a value.
    ///
    /// Such a one is left when a keyring dies between making an item and giving it its first value: nobody saw that
    /// session.
    func record(of key: AccountKey) throws(StoreError) -> SessionRecord? {
        guard !self.value.isEmpty else { return nil }
        var text = self.value[...]
        var mark: RefreshMark?
        if text.starts(with: Self.markWord.utf8), let end = text.firstIndex(of: 0x0A) {
            mark = Self.mark(String(decoding: text[..<end], as: UTF8.self))
            if mark == nil { throw Self.damaged("its first line makes no sense") }
            text = text[(end + 1)...]
        }
        var record = try SessionRecord(decoding: Array(text), place: SecretService.place)
        guard AccountKey(record.account) == key else { throw Self.damaged("it is another account's") }
        record.refreshMark = mark
        return record
    }

    private static func mark(_ line: String) -> RefreshMark? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let generation = Int64(words[1]), let time = UInt64(words[2], radix: 16) else {
            return nil
        }
        return RefreshMark(
            begunAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: time)),
            generation: generation
        )
    }

    static func damaged(_ words: String) -> StoreError {
        StoreError(.corrupt, place: SecretService.place, detail: "\(words); remove the item and sign in again")
    }
}
