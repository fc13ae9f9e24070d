// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import Tessera
internal import TesseraDefaults
internal import TesseraStores

/// Where sessions lie.
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
