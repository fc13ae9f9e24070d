// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraDefaults
internal import TesseraStores

/// The kinds of store that a command line may name.
enum StoreKinds {
    /// Those that this program is linked with beside the usual ones.
    @TaskLocal static var databases: [StoreFactory] = []

    /// All that may be named.
    static var known: [StoreFactory] {
        let databases = Self.databases.isEmpty ? Self.elsewhere : Self.databases
        return PlatformDefaults.storeFactories + [.passphrase] + databases
    }

    /// What `tessera-databases` opens: `tessera` itself stays small, since linking libpq alone takes longer than
    /// everything else that `tessera token` does.
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
                detail: "the program tessera-databases, which has it, is neither beside tessera nor in PATH"
            )
        }
    }

    /// Whether these arguments, or the environment, name a store that only `tessera-databases` has.
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
