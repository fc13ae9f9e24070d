// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
package import Tessera
internal import TesseraDefaults
internal import TesseraStores

/// The option for the session store.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The session store: file:DIR, passphrase:DIR, secret-service: (the keyring), sqlite:FILE, \
            postgresql://… or memory:. (default: $TESSERA_STORE, or the store that the first sign-in chose: the \
            keyring if available, or encrypted files)
            """,
            valueName: "uri"
        )
    )
    var store: String?

    /// Returns the sessions in the selected store.
    func open() throws -> SessionCatalog { try Self.open(self.store) }

    /// Returns the sessions in the specified store, or chooses a store for the first sign-in.
    ///
    /// The choice is nil if a store was specified.
    func openForSignIn() async throws -> (SessionCatalog, StoreChoice?) {
        guard self.store == nil, Environment.value("TESSERA_STORE") == nil else { return (try self.open(), nil) }
        let choice = try await StoreChoice.forSignIn()
        return (SessionCatalog(choice.uri), choice)
    }

    /// Returns the sessions in the specified store, or in the default store.
    static func open(_ store: String?) throws -> SessionCatalog {
        guard let text = store ?? Environment.value("TESSERA_STORE") else {
            return SessionCatalog(try PlatformDefaults.storeURI())
        }
        return try Self.open(text, named: store == nil ? "TESSERA_STORE" : "--store")
    }

    /// Returns the sessions in a store, or throws an error that mentions the argument.
    static func open(_ text: String, named argument: String) throws -> SessionCatalog {
        let forms = ["file:DIR"] + StoreKinds.known.map(\.form)
        if text.hasSuffix(":"), !forms.contains(text), let form = forms.first(where: { $0.hasPrefix(text) }) {
            throw CommandError.usage("\(argument): \(text) is incomplete", "Write \(form).")
        }
        do {
            return SessionCatalog(try StoreURI(parsing: text, factories: StoreKinds.known))
        } catch let error as StoreError {
            throw CommandError.usage(argument, error)
        }
    }
}

/// The options for the account to use and its store.
package struct AccountOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The account: its name, email address or subject, followed by @CLIENT-ID or @ISSUER if necessary. \
            Required if there are several accounts.
            """,
            valueName: "name"
        )
    )
    var account: String?

    @OptionGroup var store: StoreOptions

    package init() {}

    /// Returns the session record for the specified account, and the sessions in its store.
    package func record() async throws -> (SessionRecord, SessionCatalog) {
        let catalog = try self.store.open()
        return (try await catalog.record(named: self.account), catalog)
    }
}

/// The kinds of store that can be used on the command line.
enum StoreKinds {
    /// The kinds that this program supports in addition to the common ones.
    @TaskLocal static var databases: [StoreFactory] = []

    /// The supported kinds, including those that only `tessera-databases` can open.
    static var known: [StoreFactory] {
        let databases = Self.databases.isEmpty ? Self.databaseKinds : Self.databases
        return PlatformDefaults.storeFactories + [.passphrase] + databases
    }

    /// The kinds that `tessera-databases` opens.
    ///
    /// They are not part of `tessera`, because linking libpq takes longer than everything else that `tessera token`
    /// does.
    private static let databaseKinds = [
        Self.databaseKind("sqlite", "sqlite:FILE"), Self.databaseKind("postgresql", "postgresql://USER@HOST/DATABASE"),
        Self.databaseKind("postgres", "postgres://USER@HOST/DATABASE"),
    ]

    private static func databaseKind(_ scheme: String, _ form: String) -> StoreFactory {
        StoreFactory(
            scheme: scheme,
            form: form
        ) { _ in
            throw StoreError(
                .unavailable,
                location: "\(scheme):",
                detail: "the program tessera-databases, which supports it, was not found next to tessera or in PATH"
            )
        }
    }

    /// Returns whether the arguments or the environment name a store that only `tessera-databases` supports.
    ///
    /// This check happens before the arguments are parsed, so that they are parsed only once, in `tessera-databases`.
    /// With a SQLite store, `tessera token` takes 61 ms of processor time, including 54 ms in `tessera-databases`
    /// (median of 25 runs of a debug build). Parsing the arguments in both programs would add about 20 ms.
    static func needsDatabases(_ arguments: some Sequence<String>) -> Bool {
        guard Self.databases.isEmpty else { return false }
        var words = arguments.map { $0.hasPrefix("--store=") ? String($0.dropFirst(8)) : $0 }
        let isNamed = arguments.contains { $0 == "--store" || $0.hasPrefix("--store=") }
        if !isNamed, let named = Environment.value("TESSERA_STORE") { words.append(named) }
        return words.contains { word in
            guard let colon = word.firstIndex(of: ":") else { return false }
            return Self.databaseKinds.contains { $0.scheme == word[..<colon].lowercased() }
        }
    }
}

extension StoreFactory {
    /// `passphrase:DIR`: encrypted files whose key is protected by a passphrase.
    static let passphrase = StoreFactory(
        scheme: "passphrase",
        form: "passphrase:DIR"
    ) { rest in
        let directory = try StoreURI.path(rest, of: "passphrase:")
        return Product(name: "passphrase:\(directory)") {
            let prompt = PassphrasePrompt(location: directory)
            return EncryptedFileStore(directory: directory) { purpose in
                try prompt.passphrase(to: purpose)
            }
        }
    }
}

extension StoreChoice {
    /// Prints which store was chosen and why to standard error, the first time only.
    func announce() {
        guard self.isNew else { return }
        Console.note("tessera: \(self.words)")
    }

    private var words: String {
        guard let obstacle else { return "Sessions are stored in \(self.uri) from now on." }
        let reason = obstacle.detail.map { "; the keyring cannot be used here: \($0)" } ?? ""
        return "Sessions are stored in \(self.uri) from now on\(reason)."
    }
}
