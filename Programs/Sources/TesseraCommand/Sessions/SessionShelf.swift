// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
package import Tessera
internal import TesseraDefaults
internal import TesseraGoogle
internal import TesseraStores
internal import TesseraUserAgents

/// The sessions of one store, as the commands find them.
package struct SessionShelf: Sendable {
    let uri: StoreURI
    let store: any SessionStore

    init(_ uri: StoreURI) {
        self.uri = uri
        self.store = uri.makeStore()
    }

    /// One account of the store: its record, or why that cannot be read.
    struct Item: Sendable {
        let account: Account
        let record: Result<SessionRecord, StoreError>
        /// What `--account` accepts; only this account's where the item comes from ``SessionShelf/items()``.
        private(set) var name: String

        init(account: Account, record: Result<SessionRecord, StoreError>) {
            self.account = account
            self.record = record
            self.name = ""
            self.name = self.names.first ?? "(registered client)"
        }

        /// The item under the shortest name that no other account has.
        fileprivate func named(among items: [Item]) -> Item {
            var item = self
            item.name =
                self.names.first { name in items.allSatisfy { $0.account == self.account || !$0.isCalled(name) } }
                ?? self.fullName
            return item
        }

        /// The names that do not name the client and the issuer, the shortest first; none for a registered client.
        private var names: [String] {
            guard !KeptRegistration.isKept(as: self.account) else { return [] }
            let identity = self.readable?.identity
            return [identity?.label, identity?.email, self.account.subject].compactMap { $0 }.filter { !$0.isEmpty }
        }

        /// Why the record cannot be read, nil where it can.
        var failure: StoreError? {
            if case .failure(let error) = self.record { error } else { nil }
        }

        /// The record, where it can be read.
        var readable: SessionRecord? { try? self.record.get() }

        /// Returns whether a typed name means this account: a name, alone or followed by `@` and the client's identifier,
        /// the issuer, or both as `CLIENT@ISSUER`.
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

        /// The name that distinguishes the account from others.
        var words: String {
            let identity = self.readable?.identity
            let name = identity?.label ?? identity?.email
            return name.map { "\($0) (subject \(self.account.subject))" } ?? self.account.subject
        }

        /// The unique name of an account, for a user with several clients or issuers.
        var fullName: String { "\(self.account.subject)@\(self.account.clientID)@\(self.account.issuer)" }
    }

    /// Returns the names that distinguish these accounts from each other.
    private static func words(_ items: [Item]) -> String {
        let words = items.map(\.words)
        return
            items
            .map { item in words.count { $0 == item.words } > 1 ? item.fullName : item.words }
            .joined(separator: ", ")
    }

    /// Every account, readable or not.
    func items() async throws -> [Item] {
        let items = try await self.everything().filter { !KeptRegistration.isKept(as: $0.account) }
        return items.map { $0.named(among: items) }
    }

    /// Everything that the store has, registered clients too.
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

    /// Every account, read in this very thread; nil where the store cannot do that.
    func itemsAtOnce() throws -> [Item]? {
        guard let store = self.store as? EncryptedFileStore else { return nil }
        return try store.recordsBlocking()?.filter { !KeptRegistration.isKept(as: $0.account) }
            .map { Item(account: $0.account, record: $0.record) }
    }

    /// The account of that name; without a name the only one, or the only one that is signed in.
    func item(named name: String?) async throws -> Item { try Self.choose(name, from: try await self.items()) }

    /// The record of that account, read in this very thread; nil where the store cannot do that.
    func recordAtOnce(named name: String?) throws -> SessionRecord? {
        try self.itemsAtOnce().map { try Self.choose(name, from: $0).record.get() }
    }

    /// The account of that name among these.
    ///
    /// A label or an email address is in the record. So a record that cannot be read may be the one that is meant, and its
    /// error is thrown where no other account has the name. Without a name, a record that cannot be read now may be the
    /// selected one; one that is damaged does not stand in the way of the others.
    static func choose(_ name: String?, from all: [Item]) throws -> Item {
        let failures = all.compactMap(\.failure)
        if name == nil, all.count > 1,
            let failure = failures.first(where: { ![.corrupt, .newerFormat].contains($0.code) })
        {
            throw failure
        }
        var found = name.map { name in all.filter { $0.isCalled(name) } } ?? all
        if found.count > 1 {
            let living = found.filter { $0.readable?.tokens != nil }
            if living.count == 1 { found = living }
            if name == nil, let selected = Self.selected(of: living) { found = [selected] }
        }
        guard let first = found.first else { throw failures.first ?? Self.nobody(name, all) }
        guard found.count == 1 else {
            throw CommandError(
                "ambiguousAccount",
                name.map { "Several accounts are called “\(Self.printable($0))”" } ?? "Several accounts are signed in",
                "Choose one with --account, or set the default with 'tessera accounts select': \(Self.words(found))."
            )
        }
        return first
    }

    /// The selected account.
    static func selected(of items: [Item]) -> Item? {
        items.filter { $0.readable?.history.selectedAt != nil }
            .max { $0.readable?.history.selectedAt ?? .distantPast < $1.readable?.history.selectedAt ?? .distantPast }
    }

    /// The record of that account.
    func record(named name: String?) async throws -> SessionRecord { try await self.item(named: name).record.get() }

    /// Returns the sign-in of a record, without network requests.
    func signIn(
        for record: SessionRecord,
        permitting insecure: Insecure = [],
        userAgent: any UserAgent = SystemBrowser(command: .none, environment: [:])
    ) -> SignIn {
        SignIn(
            record.provider.recognizingGoogle,
            transport: PlatformDefaults.transport(permitting: record.provider.insecure.union(insecure)),
            store: self.store,
            userAgent: userAgent
        )
    }

    /// Lets `body` use a record's session, and returns when a refresh that it began is saved.
    package func withSession<Result: Sendable>(
        of record: SessionRecord,
        permitting insecure: Insecure = [],
        _ body: (OAuthSession) async throws -> Result
    ) async throws -> Result {
        let session = self.signIn(for: record, permitting: insecure).session(for: record)
        do {
            let result = try await body(session)
            await Self.settle(session)
            return result
        } catch {
            await Self.settle(session)
            throw error
        }
    }

    /// Waits until a refresh is saved, even if this task is cancelled: with a rotating refresh token, a lost response
    /// loses the session.
    private static func settle(_ session: OAuthSession) async {
        await Task { await session.settle() }.value
    }

    private static func nobody(_ name: String?, _ all: [Item]) -> CommandError {
        let others = all.isEmpty ? "" : " Accounts: \(Self.words(all))."
        return CommandError(
            "notSignedIn",
            name.map { "No account is called “\(Self.printable($0))”" } ?? "Not signed in",
            "Run 'tessera login'.\(others)",
            status: .signInNeeded,
            endsSession: true
        )
    }

    private static func printable(_ text: String) -> String { UntrustedText.printable(text, limit: 80) }
}

/// A session, or the agent, whose tokens may, for one call, go to more origins than it keeps.
package struct WidenedSource: AccessTokenSource {
    private let source: any AccessTokenSource
    private let more: [OriginPattern]

    package init(_ source: any AccessTokenSource, more: [OriginPattern]) {
        self.source = source
        self.more = more
    }

    package var authorizedOrigins: [OriginPattern] { self.source.authorizedOrigins + self.more }
    package func accessToken() async throws -> AccessToken { try await self.source.accessToken() }
    package func refused(_ token: AccessToken) async throws -> AccessToken { try await self.source.refused(token) }
}
