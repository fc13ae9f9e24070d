// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
package import Tessera
internal import TesseraDefaults
internal import TesseraGoogle
internal import TesseraStores
internal import TesseraUserAgents

/// The sessions in a store, and how commands find them by name.
package struct SessionCatalog: Sendable {
    let uri: StoreURI
    let store: any SessionStore

    init(_ uri: StoreURI) {
        self.uri = uri
        self.store = uri.makeStore()
    }

    /// An account in the store, with its record or the error that occurred while reading it.
    struct Item: Sendable {
        let account: Account
        let record: Result<SessionRecord, StoreError>
        /// The name to use with `--account`, which is unique if the item comes from ``SessionCatalog/items()``.
        private(set) var name: String

        init(account: Account, record: Result<SessionRecord, StoreError>) {
            self.account = account
            self.record = record
            self.name = ""
            self.name = self.names.first ?? "(registered client)"
        }

        /// Returns the item with the shortest name that no other account has.
        fileprivate func named(among items: [Item]) -> Item {
            var item = self
            item.name =
                self.names.first { name in items.allSatisfy { $0.account == self.account || !$0.isCalled(name) } }
                ?? self.fullName
            return item
        }

        /// The names without client and issuer, in order of preference, or none for a registered client.
        private var names: [String] {
            guard !StoredRegistration.isStored(as: self.account) else { return [] }
            let identity = self.readable?.identity
            return [identity?.label, identity?.email, self.account.subject].compactMap { $0 }.filter { !$0.isEmpty }
        }

        /// The error that occurred while reading the record, or nil.
        var failure: StoreError? {
            if case .failure(let error) = self.record { error } else { nil }
        }

        /// The record, or nil if it is unreadable.
        var readable: SessionRecord? { try? self.record.get() }

        /// Returns whether a name on the command line refers to this account.
        ///
        /// The name can be followed by `@` and the client's identifier, the issuer, or both as `CLIENT@ISSUER`.
        func isCalled(_ text: String) -> Bool {
            let account = self.account
            return ["", "@\(account.clientID)", "@\(account.issuer)", "@\(account.clientID)@\(account.issuer)"]
                .contains { text.hasSuffix($0) && self.isNamed(String(text.dropLast($0.count))) }
        }

        private func isNamed(_ name: String) -> Bool {
            if self.account.subject == name { return true }
            guard let identity = self.readable?.identity else { return false }
            return identity.label == name || identity.email?.lowercased() == name.lowercased()
        }

        /// A description that distinguishes the account from others.
        var words: String {
            let identity = self.readable?.identity
            let name = identity?.label ?? identity?.email
            return name.map { "\($0) (subject \(self.account.subject))" } ?? self.account.subject
        }

        /// The account's unique name, for a user with several clients or issuers.
        var fullName: String { "\(self.account.subject)@\(self.account.clientID)@\(self.account.issuer)" }
    }

    /// Returns descriptions that distinguish these accounts from each other.
    private static func words(_ items: [Item]) -> String {
        let subjects = items.map(\.account.subject)
        return
            items
            .map { item in subjects.count { $0 == item.account.subject } > 1 ? item.fullName : item.words }
            .joined(separator: ", ")
    }

    /// Returns all accounts, whether they are readable or not.
    func items() async throws -> [Item] {
        let items = try await self.everything().filter { !StoredRegistration.isStored(as: $0.account) }
        return items.map { $0.named(among: items) }
    }

    /// Returns everything in the store, including registered clients.
    func everything() async throws -> [Item] {
        var items: [Item] = []
        for account in try await self.store.list() {
            do {
                guard let record = try await self.store.load(account) else { continue }
                items.append(Item(account: account, record: .success(record)))
            } catch let error as StoreError {
                items.append(Item(account: account, record: .failure(error)))
            }
        }
        return items
    }

    /// Returns all accounts, read synchronously on this thread, or nil if the store does not support that.
    func itemsBlocking() throws -> [Item]? {
        guard let store = self.store as? EncryptedFileStore else { return nil }
        return try store.recordsBlocking()?.filter { !StoredRegistration.isStored(as: $0.account) }
            .map { Item(account: $0.account, record: $0.record) }
    }

    /// Returns the account with a name, or the selected account if the name is nil.
    func item(named name: String?) async throws -> Item { try Self.choose(name, from: try await self.items()) }

    /// Returns the record for an account, read synchronously, or nil if the store does not support that.
    func recordBlocking(named name: String?) throws -> SessionRecord? {
        try self.itemsBlocking().map { try Self.choose(name, from: $0).record.get() }
    }

    /// Returns the account with a name, or the default account if the name is nil.
    ///
    /// The default account is the selected one, or else the only one, or the only one that is signed in.
    ///
    /// Labels and email addresses are stored in the records, so an unreadable record might have the name. Its error is
    /// thrown if no other account matches. Without a name, a record that is temporarily unreadable might be the selected
    /// one, so its error is thrown too. Damaged records are skipped if there are other accounts.
    static func choose(_ name: String?, from all: [Item]) throws -> Item {
        let failures = all.compactMap(\.failure)
        if name == nil, all.count > 1,
            let failure = failures.first(where: { ![.corrupt, .newerFormat].contains($0.code) })
        {
            throw failure
        }
        var found = name.map { name in all.filter { $0.isCalled(name) } } ?? all
        if found.count > 1 {
            let active = found.filter { $0.readable?.tokens != nil }
            if active.count == 1 { found = active }
            // If the session of the selected account has ended, no other account takes its place.
            if name == nil, let selected = Self.selected(of: all) { found = [selected] }
        }
        guard let first = found.first else { throw failures.first ?? Self.notSignedInError(name, all) }
        guard found.count == 1 else {
            throw CommandError(
                "ambiguousAccount",
                name.map { "Several accounts match “\(Self.printable($0))”" } ?? "Several accounts are signed in",
                "Choose one with --account, or set the default with 'tessera accounts select': \(Self.words(found))."
            )
        }
        return first
    }

    /// Returns the account that was selected most recently.
    static func selected(of items: [Item]) -> Item? {
        items.filter { $0.readable?.history.selectedAt != nil }
            .max { $0.readable?.history.selectedAt ?? .distantPast < $1.readable?.history.selectedAt ?? .distantPast }
    }

    /// Returns the record for an account, as in ``item(named:)``.
    func record(named name: String?) async throws -> SessionRecord { try await self.item(named: name).record.get() }

    /// Returns a sign-in for a record's provider, without network requests.
    func signIn(
        for record: SessionRecord,
        insecure: Insecure = [],
        userAgent: any UserAgent = SystemBrowser(command: .none, environment: [:])
    ) -> SignIn {
        SignIn(
            record.provider.recognizingGoogle,
            transport: PlatformDefaults.transport(insecure: record.provider.insecure.union(insecure)),
            store: self.store,
            userAgent: userAgent
        )
    }

    /// Calls `body` with a record's session, and returns after any refresh that it started is saved.
    package func withSession<Result: Sendable>(
        of record: SessionRecord,
        insecure: Insecure = [],
        _ body: (OAuthSession) async throws -> Result
    ) async throws -> Result {
        let session = self.signIn(for: record, insecure: insecure).session(for: record)
        do {
            let result = try await body(session)
            await session.settle()
            return result
        } catch {
            // With a rotating refresh token, losing the response means losing the session.
            await session.settle()
            throw error
        }
    }

    private static func notSignedInError(_ name: String?, _ all: [Item]) -> CommandError {
        let others = all.isEmpty ? "" : " Accounts: \(Self.words(all))."
        return CommandError(
            "notSignedIn",
            name.map { "No account matches “\(Self.printable($0))”" } ?? "Not signed in",
            "Run 'tessera login'.\(others)",
            status: .signInNeeded,
            endsSession: true
        )
    }

    private static func printable(_ text: String) -> String { UntrustedText.printable(text, limit: 80) }
}

/// A token source that can send its tokens to additional origins for the duration of one call.
package struct WidenedSource: AccessTokenSource {
    private let source: any AccessTokenSource
    private let more: [OriginPattern]

    package init(_ source: any AccessTokenSource, more: [OriginPattern]) {
        self.source = source
        self.more = more
    }

    package var authorizedOrigins: [OriginPattern] { self.source.authorizedOrigins + self.more }
    package func accessToken() async throws -> AccessToken { try await self.source.accessToken() }
    package func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        try await self.source.replacement(forRejected: token)
    }
}
