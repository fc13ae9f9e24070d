// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraJSON
internal import TesseraStores

/// `tessera accounts`.
struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List accounts or select the default one",
        discussion: """
            Sends no network requests.

            Examples:
              tessera accounts
              tessera accounts --json
              tessera accounts --store file:/srv/robot/sessions
              tessera accounts select work
            """,
        subcommands: [AccountsListCommand.self, AccountsSelectCommand.self],
        defaultSubcommand: AccountsListCommand.self
    )
}

/// `tessera accounts list`.
struct AccountsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List all accounts",
        discussion: """
            An asterisk marks the selected account.

            Examples:
              tessera accounts
              tessera accounts list --json
            """
    )

    @OptionGroup var store: StoreOptions
    @OptionGroup var list: ListOptions

    func run() async throws {
        let catalog = try self.store.open()
        let items = try await catalog.items()
        let selected = SessionCatalog.selected(of: items)?.account
        let members = items.map { item in
            JSONNode.object(
                (item.readable.map { AccountReport($0, name: item.name).members } ?? Self.unreadable(item))
                    + [JSONMember(name: "selected", value: .bool(item.account == selected))]
            )
        }
        let error = items.compactMap(\.failure).first
        let result = [
            JSONMember(name: "store", value: .string(catalog.uri.description)),
            JSONMember(name: "accounts", value: .array(members)),
        ]
        self.list.result(
            .object(result + (error.map { ErrorReport($0).members } ?? [])),
            Self.rows(items, selected),
            text: items.isEmpty ? "Not signed in. Run 'tessera login'." : nil
        )
        if let error { throw self.list.output.failed(error) }
    }

    private static func rows(_ items: [SessionCatalog.Item], _ selected: Account?) -> ListRows {
        var rows = ListRows([
            "account": "ACCOUNT", "label": "NAME", "issuer": "PROVIDER", "state": "STATE", "granted": "SCOPES",
            "subject": "SUBJECT", "clientID": nil, "selected": nil,
        ])
        let hasDuplicates = Set(items.map(\.words)).count < items.count
        for item in items {
            let account = item.account
            let subject = ListRows.Cell(account.subject, shown: hasDuplicates ? item.fullName : nil)
            let rest = [subject, .init(account.clientID), .init(account == selected ? "true" : "false")]
            guard let record = item.readable else {
                let state = AccountReport.State.unreadable.rawValue
                let cells: [ListRows.Cell] = [
                    .init(item.name, shown: "–"), .init(nil, shown: "–"), .init(account.issuer), .init(state),
                    .init(nil, shown: "–"),
                ]
                rows.add(row: cells + rest)
                continue
            }
            let report = AccountReport(record)
            let name = record.identity.email ?? record.identity.name ?? "–"
            let scopes =
                "\(report.granted.count)" + (report.missing.isEmpty ? "" : " (\(report.missing.count) missing)")
            let cells: [ListRows.Cell] = [
                .init(item.name, shown: account == selected ? "* \(name)" : name),
                .init(record.identity.label, shown: record.identity.label ?? "–"),
                .init(account.issuer, shown: record.provider.name),
                .init(report.state.rawValue, shown: report.state == .signedIn ? "signed in" : "needs sign-in"),
                .init(report.granted.joined(separator: " "), shown: scopes),
            ]
            rows.add(row: cells + rest)
        }
        return rows
    }

    private static func unreadable(_ item: SessionCatalog.Item) -> [JSONMember] {
        [
            JSONMember(name: "account", value: .string(item.name)),
            JSONMember(name: "subject", value: .string(item.account.subject)),
            JSONMember(name: "issuer", value: .string(item.account.issuer)),
            JSONMember(name: "clientID", value: .string(item.account.clientID)),
            JSONMember(name: "state", value: .string(AccountReport.State.unreadable.rawValue)),
        ]
    }
}

/// `tessera accounts select`.
struct AccountsSelectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "select",
        abstract: "Select the default account",
        discussion: """
            The selection is stored with the account and lasts until you select another account.

            Examples:
              tessera accounts select work
              tessera accounts select ada@example.com
            """
    )

    @Argument(help: "The name given at sign-in, the email address or the subject, as for --account.")
    var name: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let catalog = try self.store.open()
        let record = try await catalog.record(named: self.name)
        try await catalog.signIn(for: record).select(record.account)
        try await CachedToken.forgetAll()
        let name = AccountReport(record).name
        self.output.result(["account": .string(name), "selected": true], "Selected: \(name)")
    }
}
