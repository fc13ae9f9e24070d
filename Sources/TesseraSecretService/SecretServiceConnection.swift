// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraSecretService
internal import Tessera
internal import TesseraStores
internal import TesseraSupport

/// A connection to the service, closed when the value's life ends; used by one thread at a time.
struct SecretServiceConnection: ~Copyable {
    private let service: OpaquePointer

    init(library: String, limits: SecretService.Limits) throws {
        var failure = tessera_secret_failure()
        let service = tessera_secret_connect(
            library,
            Self.milliseconds(limits.call),
            limits.prompt.map { Self.milliseconds($0) } ?? 0,
            &failure
        )
        guard let service else { throw StoreError(failure) }
        self.service = service
    }

    deinit { tessera_secret_disconnect(self.service) }

    /// Every item that has these attributes; none is locked.
    func items(_ attributes: SecretServiceAttributes, withValues: Bool) throws -> [SecretServiceItem] {
        var failure = tessera_secret_failure()
        var items: [SecretServiceItem] = []
        let isDone = attributes.withCStrings { attributes in
            SecretServiceItem.withCNames { names in
                withUnsafeMutablePointer(to: &items) { items in
                    tessera_secret_search(
                        self.service,
                        attributes,
                        names,
                        withValues,
                        { context, attributes, value, length in
                            let items = context?.assumingMemoryBound(to: [SecretServiceItem].self)
                            let bytes = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : length)
                            items?.pointee.append(SecretServiceItem(attributes, Array(bytes)))
                        },
                        items,
                        &failure
                    )
                }
            }
        }
        guard isDone else { throw StoreError(failure) }
        return items
    }

    /// Gives the item with these attributes this value; makes it where there is none.
    ///
    /// Every other item that has the attributes of `key` is removed; by default they are the same.
    func store(
        _ value: [UInt8],
        as attributes: SecretServiceAttributes,
        key: SecretServiceAttributes? = nil,
        label: String
    ) throws {
        var failure = tessera_secret_failure()
        let isDone = (key ?? attributes)
            .withCStrings { key in
                attributes.withCStrings { attributes in
                    value.withUnsafeBytes { value in
                        tessera_secret_store(
                            self.service,
                            key,
                            attributes,
                            label,
                            value.baseAddress?.assumingMemoryBound(to: CChar.self),
                            value.count,
                            &failure
                        )
                    }
                }
            }
        guard isDone else { throw StoreError(failure) }
    }

    /// Removes every item that has these attributes.
    func remove(_ attributes: SecretServiceAttributes) throws {
        var failure = tessera_secret_failure()
        let isDone = attributes.withCStrings { tessera_secret_remove(self.service, $0, &failure) }
        guard isDone else { throw StoreError(failure) }
    }

    private static func milliseconds(_ duration: Duration) -> UInt32 {
        UInt32(clamping: max(1, Int64((duration / .milliseconds(1)).rounded())))
    }
}

/// The names and values by which an item is found; anybody who reads the keyring's list sees them.
struct SecretServiceAttributes: Sendable {
    private let pairs: [(name: String, value: String)]

    /// Items of a kind, and of an account where there is one.
    ///
    /// - Throws: `system` for a zero byte, which no attribute can hold.
    init(schema: String, _ pairs: [(name: String, value: String)] = []) throws {
        self.pairs = [("xdg:schema", schema)] + pairs
        if self.pairs.contains(where: { $0.value.utf8.contains(0) }) {
            throw StoreError(
                .system,
                place: SecretService.place,
                detail: "an account whose name holds a zero byte cannot be kept there"
            )
        }
    }

    /// Name, value, name, value, …, nil: for as long as `body` runs.
    func withCStrings<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
        Self.withCStrings(self.pairs.flatMap { [$0.name, $0.value] }, body)
    }

    static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { $0.map { UnsafePointer($0) } } + [nil]
        return body(pointers)
    }
}

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
    static func attributes(of key: AccountKey, schema: String) throws -> SecretServiceAttributes {
        try SecretServiceAttributes(schema: schema, [("account", key.name)])
    }

    /// What a new item of an account gets.
    static func attributes(of account: Account, schema: String) throws -> SecretServiceAttributes {
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
    func record(of key: AccountKey) throws -> SessionRecord? {
        guard !self.value.isEmpty else { return nil }
        return try ChecksummedRecord.record(of: key, in: self.value, place: SecretService.place)
    }

    static func damaged(_ words: String) -> StoreError {
        StoreError(.corrupt, place: SecretService.place, detail: "\(words); remove the item and sign in again")
    }
}

extension StoreError {
    /// What the service, or the way to it, said.
    init(_ failure: tessera_secret_failure) {
        let words = withUnsafeBytes(of: failure.words) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        // Whatever has the service's name on the bus may have written them.
        let text = UntrustedText.printable(words)
        func because(_ sentence: String) -> String { text.isEmpty ? sentence : "\(sentence): \(text)" }
        let (code, detail): (Code, String) =
            switch failure.status {
            case TESSERA_SECRET_NO_LIBRARY:
                (.unavailable, because("libsecret cannot be opened; the Debian package libsecret-1-0 brings it"))
            case TESSERA_SECRET_NO_BUS: (.unavailable, because("no session bus answers"))
            case TESSERA_SECRET_NO_SERVICE:
                (.unavailable, because("no keyring runs (gnome-keyring, KWallet and KeePassXC are ones)"))
            case TESSERA_SECRET_LOCKED:
                (.locked, because("its collection is locked, and nobody can be asked to unlock it here"))
            case TESSERA_SECRET_DISMISSED: (.locked, because("it was not unlocked"))
            case TESSERA_SECRET_NO_COLLECTION:
                (.unavailable, because("there is no default collection, and nobody can be asked for its password here"))
            case TESSERA_SECRET_TIMED_OUT: (.unavailable, "it did not answer in time")
            default: (.system, because("it failed"))
            }
        self.init(code, place: SecretService.place, detail: detail)
    }
}
