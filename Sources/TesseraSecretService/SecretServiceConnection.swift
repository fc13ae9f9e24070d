// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraSecretService
internal import Tessera
internal import TesseraStores
internal import TesseraSupport

/// A connection to the keyring, which closes when the value is destroyed and must be used by one thread at a time.
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

    /// Returns every item with the given attributes, after unlocking it.
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

    /// Sets the value of the item with the given attributes, creating the item if necessary.
    ///
    /// Every other item with the attributes in `key`, which default to `attributes`, is removed.
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

    /// Removes every item with the given attributes.
    func remove(_ attributes: SecretServiceAttributes) throws {
        var failure = tessera_secret_failure()
        let isDone = attributes.withCStrings { tessera_secret_remove(self.service, $0, &failure) }
        guard isDone else { throw StoreError(failure) }
    }

    private static func milliseconds(_ duration: Duration) -> UInt32 {
        UInt32(clamping: max(1, Int64((duration / .milliseconds(1)).rounded())))
    }
}

/// The attributes used to find an item, which are visible to any program that can list the keyring.
struct SecretServiceAttributes: Sendable {
    private let pairs: [(name: String, value: String)]

    /// Creates attributes from a schema and additional pairs.
    ///
    /// - Throws: `StoreError` with the code `system` if a value contains a zero byte, which attributes do not support.
    init(schema: String, _ pairs: [(name: String, value: String)] = []) throws {
        self.pairs = [("xdg:schema", schema)] + pairs
        if self.pairs.contains(where: { $0.value.utf8.contains(0) }) {
            throw StoreError(
                .system,
                location: SecretService.location,
                detail: "it cannot store an account with a zero byte in its name"
            )
        }
    }

    /// Calls `body` with a nil-terminated array of alternating names and values.
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

/// A keyring item that contains a session as a ``ChecksummedRecord``.
struct SecretServiceItem: Sendable {
    private static let names = ["account", "issuer", "client", "subject"]

    /// The account in the item's attributes, or nil if they are incomplete or inconsistent.
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

    /// Returns the attributes used to find an account's item.
    static func attributes(of key: AccountKey, schema: String) throws -> SecretServiceAttributes {
        try SecretServiceAttributes(schema: schema, [("account", key.name)])
    }

    /// Returns the attributes for an account's new item.
    static func attributes(of account: Account, schema: String) throws -> SecretServiceAttributes {
        try SecretServiceAttributes(
            schema: schema,
            [
                ("account", AccountKey(account).name), ("issuer", account.issuer), ("client", account.clientID),
                ("subject", account.subject),
            ]
        )
    }

    /// Returns the item's name as shown by a keyring manager.
    static func label(of record: SessionRecord) -> String {
        let name = record.identity.label ?? record.identity.email ?? record.account.subject
        let text = "Tessera: \(name) at \(record.account.issuer)".unicodeScalars
        // Remove control and formatting characters that a keyring manager could interpret.
        return String(
            String.UnicodeScalarView(text.filter { ![.control, .format].contains($0.properties.generalCategory) })
        )
    }

    /// Returns the record with its refresh mark, or nil if the item does not have a value.
    ///
    /// An item without a value remains if the keyring exits after creating the item but before setting its first value.
    /// That session was never reported as saved.
    func record(of key: AccountKey) throws -> SessionRecord? {
        guard !self.value.isEmpty else { return nil }
        return try ChecksummedRecord.record(of: key, in: self.value, location: SecretService.location)
    }

    static func damaged(_ words: String) -> StoreError {
        StoreError(.corrupt, location: SecretService.location, detail: "\(words); remove the item and sign in again")
    }
}

extension StoreError {
    /// Creates a store error from a failure of the keyring or the connection to it.
    init(_ failure: tessera_secret_failure) {
        let words = withUnsafeBytes(of: failure.words) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        // The message is untrusted, because any process can own the keyring's bus name.
        let text = UntrustedText.printable(words)
        func because(_ sentence: String) -> String { text.isEmpty ? sentence : "\(sentence): \(text)" }
        let (code, detail): (Code, String) =
            switch failure.status {
            case TESSERA_SECRET_NO_LIBRARY:
                (.unavailable, because("libsecret cannot be loaded; on Debian, install the libsecret-1-0 package"))
            case TESSERA_SECRET_NO_BUS: (.unavailable, because("the session bus does not respond"))
            case TESSERA_SECRET_NO_SERVICE:
                (.unavailable, because("no keyring is running (such as gnome-keyring, KWallet or KeePassXC)"))
            case TESSERA_SECRET_LOCKED:
                (.locked, because("its collection is locked, and the user cannot be prompted to unlock it"))
            case TESSERA_SECRET_DISMISSED: (.locked, because("it was not unlocked"))
            case TESSERA_SECRET_NO_COLLECTION:
                (.unavailable, because("there is no default collection, and the user cannot be prompted to create it"))
            case TESSERA_SECRET_TIMED_OUT: (.unavailable, "it did not respond in time")
            default: (.system, because("it failed"))
            }
        self.init(code, location: SecretService.location, detail: detail)
    }
}
