// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
package import Tessera
internal import TesseraDefaults
internal import TesseraStores

/// The session store.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Where sessions are kept: file:DIR, passphrase:DIR, secret-service: (the keyring), sqlite:FILE, \
            postgresql://… or memory:. (default: $TESSERA_STORE, else what the first sign-in chose: the keyring where \
            there is one, or encrypted files)
            """,
            valueName: "uri"
        )
    )
    var store: String?

    /// The sessions of the store that was named.
    func open() throws -> SessionShelf { try Self.open(self.store) }

    /// The sessions of the store that was named, or of the one that the first sign-in chooses.
    ///
    /// Nothing is chosen where one was named.
    func openForSignIn() async throws -> (SessionShelf, StoreChoice?) {
        guard self.store == nil, Environment.value("TESSERA_STORE") == nil else { return (try self.open(), nil) }
        let choice = try await StoreChoice.forSignIn()
        return (SessionShelf(choice.uri), choice)
    }

    /// The sessions of the store of that name, or of the usual one.
    static func open(_ store: String?) throws -> SessionShelf {
        guard let text = store ?? Environment.value("TESSERA_STORE") else {
            return SessionShelf(try PlatformDefaults.storeURI())
        }
        return try Self.open(text, named: store == nil ? "TESSERA_STORE" : "--store")
    }

    /// The sessions of a store; an error names the argument that it came from.
    static func open(_ text: String, named argument: String) throws -> SessionShelf {
        let forms = ["file:DIR"] + StoreKinds.known.map(\.form)
        if text.hasSuffix(":"), !forms.contains(text), let form = forms.first(where: { $0.hasPrefix(text) }) {
            throw CommandError.usage("\(argument): \(text) is incomplete", "Write \(form).")
        }
        do {
            return SessionShelf(try StoreURI(parsing: text, factories: StoreKinds.known))
        } catch let error as StoreError {
            throw CommandError.usage(argument, error)
        }
    }
}

/// The account that a command uses, and its store.
package struct AccountOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Whose session: the name given at sign-in, the email address or the subject; where that is not enough, with \
            @CLIENT-ID or @ISSUER after it. Needed where several are.
            """,
            valueName: "name"
        )
    )
    var account: String?

    @OptionGroup var store: StoreOptions

    package init() {}

    /// The record that was named.
    package func record() async throws -> (SessionRecord, SessionShelf) {
        let shelf = try self.store.open()
        return (try await shelf.record(named: self.account), shelf)
    }
}

/// The kinds of store that a command line may name.
enum StoreKinds {
    /// The kinds that this program is linked with in addition to the usual ones.
    @TaskLocal static var databases: [StoreFactory] = []

    /// All supported kinds.
    static var known: [StoreFactory] {
        let databases = Self.databases.isEmpty ? Self.elsewhere : Self.databases
        return PlatformDefaults.storeFactories + [.passphrase] + databases
    }

    /// The kinds that `tessera-databases` opens.
    ///
    /// `tessera` itself stays small, since linking libpq alone takes longer than everything else that `tessera token`
    /// does.
    private static let elsewhere = [
        Self.elsewhere("sqlite", "sqlite:FILE"), Self.elsewhere("postgresql", "postgresql://USER@HOST/DATABASE"),
        Self.elsewhere("postgres", "postgres://USER@HOST/DATABASE"),
    ]

    private static func elsewhere(_ scheme: String, _ form: String) -> StoreFactory {
        StoreFactory(
            scheme: scheme,
            form: form
        ) { _ in
            throw StoreError(
                .unavailable,
                place: "\(scheme):",
                detail: "the program tessera-databases, which supports it, was not found next to tessera or in PATH"
            )
        }
    }

    /// Whether these arguments, or the environment, name a store that only `tessera-databases` has.
    ///
    /// It reads the arguments before the parser does, which then runs once, in `tessera-databases`. A `tessera token` with a
    /// SQLite store takes 61 ms of processor time this way, 54 ms of them in `tessera-databases` (median of 25 runs of a
    /// debug build). To parse the arguments in both programs would add about 20 ms.
    static func needsDatabases(_ arguments: some Sequence<String>) -> Bool {
        guard Self.databases.isEmpty else { return false }
        var words = arguments.map { $0.hasPrefix("--store=") ? String($0.dropFirst(8)) : $0 }
        let isNamed = arguments.contains { $0 == "--store" || $0.hasPrefix("--store=") }
        if !isNamed, let named = Environment.value("TESSERA_STORE") { words.append(named) }
        return words.contains { word in
            guard let colon = word.firstIndex(of: ":") else { return false }
            return Self.elsewhere.contains { $0.scheme == word[..<colon].lowercased() }
        }
    }
}

extension StoreFactory {
    /// `passphrase:DIR`, encrypted files whose key a passphrase opens.
    static let passphrase = StoreFactory(
        scheme: "passphrase",
        form: "passphrase:DIR"
    ) { rest in
        let directory = try StoreURI.path(rest, of: "passphrase:")
        return Product(name: "passphrase:\(directory)") {
            let prompt = PassphrasePrompt(place: directory)
            return EncryptedFileStore(directory: directory) { purpose in
                try prompt.passphrase(to: purpose)
            }
        }
    }
}

extension StoreChoice {
    /// Says on standard error which store was chosen and why, the first time only.
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
