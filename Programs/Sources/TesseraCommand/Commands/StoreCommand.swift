// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraJSON
internal import TesseraStores

/// `tessera store`.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Check a session store or copy sessions between stores",
        discussion: """
            Stores:
              file:DIR                      encrypted files, with the key in a separate file
              passphrase:DIR                encrypted files, protected by a passphrase ($TESSERA_PASSPHRASE)
              secret-service:               the keyring of a Linux desktop
              keychain:login                the login keychain on a Mac
              sqlite:FILE                   a database for many users on one machine
              postgresql://USER@HOST/NAME   a database for any number of machines
              memory:                       memory only; nothing is saved

            Examples:
              tessera store check
              tessera store copy secret-service: file:/srv/robot/sessions
            """,
        subcommands: [StoreCheckCommand.self, StoreCopyCommand.self]
    )
}

/// `tessera store check`.
struct StoreCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check that a session store can be read and written",
        discussion: """
            Removes what it writes, does not change any session, and does not contact a provider. The exit code is 7 if \
            something cannot be written or read.

            Examples:
              tessera store check
              tessera store check secret-service:
              tessera store check postgresql://tessera@db.example/sessions
            """
    )

    @Argument(help: "The store, as for --store. (default: the default store)")
    var uri: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let catalog = try self.uri.map { try StoreOptions.open($0, named: "URI") } ?? StoreOptions.open(nil)
        let report = try await StoreReport(catalog)
        let failure = report.failure
        self.output.result(
            .object(report.members + (failure.map { ErrorReport($0).members } ?? [])),
            report.text
        )
        if let failure { throw self.output.failed(failure) }
    }
}

/// `tessera store copy`.
struct StoreCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy sessions and clients from one store to another",
        discussion: """
            Reads each copy back and compares it. With --move, removes the originals after all sessions are copied. If \
            a session is in two stores, use only one of them: most providers invalidate a refresh token once it has \
            been used from the other store.

            Examples:
              tessera store copy file:old secret-service:
              tessera store copy --move file:~/sessions sqlite:/srv/robot/sessions.db
              tessera store copy sqlite:/srv/sessions.db postgresql://tessera@db.example/sessions
            """
    )

    @Argument(help: "The source store.")
    var from: String

    @Argument(help: "The destination store.")
    var to: String

    @Flag(help: "Remove the sessions from the source after all copies are verified.")
    var move = false

    @Flag(help: "Replace other sessions of the same accounts.")
    var replace = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let source = try StoreOptions.open(self.from, named: "FROM")
        let target = try StoreOptions.open(self.to, named: "TO")
        guard source.uri != target.uri else {
            throw CommandError.usage(
                "FROM and TO are the same store",
                "Specify two different stores. Nothing was changed."
            )
        }
        let items = try await source.everything()
        if !items.isEmpty { try await target.store.probe() }
        let transfer = StoreTransfer(from: source.store, to: target.store)
        var entries: [Entry] = []
        var progress = ProgressLine("Copying", total: items.count)
        for item in items {
            entries.append(Entry(item: item, outcome: try await self.copy(item.account, transfer)))
            progress.advance()
        }
        let failure = entries.lazy.compactMap(\.failure).first
        let moved = self.move && failure == nil
        if moved {
            progress = ProgressLine("Removing the originals", total: items.count)
            try await transfer.removeOriginals(of: items.map(\.account)) { _ in progress.advance() }
        }
        progress.end()
        try await CachedToken.forgetAll()
        let members = [
            JSONMember(name: "from", value: .string(source.uri.description)),
            JSONMember(name: "to", value: .string(target.uri.description)),
            JSONMember(name: "sessions", value: .array(entries.map { .object($0.members) })),
            JSONMember(name: "removed", value: .bool(moved)),
        ]
        self.output.result(
            .object(members + (failure.map { ErrorReport($0).members } ?? [])),
            Self.text(entries, moved: moved)
        )
        if let failure { throw self.output.failed(failure) }
    }

    /// The result of copying one account's session.
    private struct Entry {
        let item: SessionCatalog.Item
        let outcome: Result<StoreTransfer.Result, StoreError>

        /// The error that prevents the originals from being removed.
        var failure: (any Error)? {
            switch self.outcome {
            case .failure(let error): error
            case .success(.occupied):
                CommandError(
                    "occupied",
                    "The destination has a different session for \(self.item.name)",
                    "Replace it with --replace, or sign it out there first. Nothing was removed.",
                    status: .store
                )
            case .success: nil
            }
        }

        var words: String {
            switch self.outcome {
            case .failure(let error): error.code.description
            case .success(.copied): "copied"
            case .success(.alreadyThere): "already copied"
            case .success(.occupied): "a different session exists"
            case .success(.missing): "signed out in the meantime"
            }
        }

        var members: [JSONMember] {
            let outcome =
                switch self.outcome {
                case .failure(let error): error.code.description
                case .success(let outcome): outcome.rawValue
                }
            return [
                JSONMember(name: "account", value: .string(self.item.name)),
                JSONMember(name: "issuer", value: .string(self.item.account.issuer)),
                JSONMember(name: "clientID", value: .string(self.item.account.clientID)),
                JSONMember(name: "subject", value: .string(self.item.account.subject)),
                JSONMember(name: "outcome", value: .string(outcome)),
            ]
        }
    }

    private func copy(
        _ account: Account,
        _ transfer: StoreTransfer
    ) async throws -> Result<StoreTransfer.Result, StoreError> {
        do {
            return .success(try await transfer.copy(account, replacing: self.replace))
        } catch let error as StoreError {
            return .failure(error)
        }
    }

    private static func text(_ entries: [Entry], moved: Bool) -> TerminalText {
        guard !entries.isEmpty else { return "No sessions to copy." }
        var table = ColumnTable("ACCOUNT", "PROVIDER", "OUTCOME")
        for entry in entries { table.add(entry.item.name, entry.item.account.issuer, entry.words) }
        let end =
            moved
            ? "The originals were removed." : "The originals were not removed. Use only one of the stores from now on."
        return "\(table.text)\n\n\(end)"
    }
}
