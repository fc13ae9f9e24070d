// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON

/// `tessera logout`.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign out and optionally revoke access",
        discussion: """
            Without --revoke, sends no network requests, and the session remains valid at the provider. Damaged sessions can be \
            removed too. With --all, removes every account and lists each failure.

            Examples:
              tessera logout
              tessera logout --revoke --account work
              tessera logout --all
            """
    )

    @Flag(help: "Revoke the access at the provider first.")
    var revoke = false

    @Flag(help: "Sign out every account of the store.")
    var all = false

    @OptionGroup var account: AccountOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard self.all, self.account.account != nil else { return }
        throw ValidationError("--all and --account cannot be used together.")
    }

    func run() async throws {
        // Remove cached tokens first, so that no cached token outlives a session that cannot be removed.
        try await CachedToken.forgetAll()
        let catalog = try self.account.store.open()
        if self.all { return try await self.signOutAll(catalog) }
        let item = try await catalog.item(named: self.account.account)
        let isRevoked: Bool
        do {
            isRevoked = try await self.signOut(item, catalog)
        } catch {
            // The session may have been removed here, and another program may have cached a token in the meantime.
            try await CachedToken.forgetAll()
            throw error
        }
        try await CachedToken.forgetAll()
        self.output.result(
            ["account": .string(item.name), "removed": true, "revoked": .bool(isRevoked)],
            self.text([(item.name, isRevoked)])
        )
    }

    /// Signs out every account, reports each failure, and exits with the code of the first failure.
    private func signOutAll(_ catalog: SessionCatalog) async throws {
        let items = try await catalog.items()
        var ended: [(name: String, isRevoked: Bool)] = []
        var failures: [(name: String, report: ErrorReport)] = []
        for item in items {
            do {
                ended.append((item.name, try await self.signOut(item, catalog)))
            } catch {
                failures.append((item.name, ErrorReport(error, of: item.name)))
                // An interruption ends the whole command, which reports what it has done.
                if Task.isCancelled { break }
            }
        }
        // Another program may have cached a token in the meantime.
        try await CachedToken.forgetAll()
        let isRevoked = failures.isEmpty && !ended.isEmpty && ended.allSatisfy(\.isRevoked)
        let members = [
            JSONMember(name: "accounts", value: .array(ended.map { .string($0.name) })),
            JSONMember(name: "failed", value: .array(failures.map { Self.failed($0.name, $0.report) })),
            JSONMember(name: "removed", value: .bool(failures.isEmpty)),
            JSONMember(name: "revoked", value: .bool(isRevoked)),
        ]
        self.output.result(
            .object(members + (failures.first?.report.members ?? [])),
            items.isEmpty ? "Not signed in." : self.text(ended)
        )
        for failure in failures { Console.note(failure.report.text) }
        if let first = failures.first { throw ExitCode(first.report.status.rawValue) }
    }

    private static func failed(_ name: String, _ report: ErrorReport) -> JSONNode {
        .object([JSONMember(name: "account", value: .string(name))] + report.members)
    }

    /// Returns sentences that list the sessions that were ended and where.
    private func text(_ ended: [(name: String, isRevoked: Bool)]) -> TerminalText {
        guard !ended.isEmpty else { return "No account was signed out." }
        let rest: TerminalText =
            self.revoke ? "here, without a token to revoke" : "here; the provider still allows access"
        let groups: [(location: TerminalText, names: [String])] = [
            ("here and at the provider", ended.filter(\.isRevoked).map(\.name)),
            (rest, ended.filter { !$0.isRevoked }.map(\.name)),
        ]
        return groups.filter { !$0.names.isEmpty }
            .map { "Signed out \($0.location): \($0.names.joined(separator: ", "))" }
            .joined(separator: "\n")
    }

    /// Signs out an account, and returns whether a token was revoked at the provider.
    private func signOut(_ item: SessionCatalog.Item, _ catalog: SessionCatalog) async throws -> Bool {
        if self.revoke { return try await self.disconnect(try item.record.get(), catalog) }
        try await catalog.store.remove(item.account)
        return false
    }

    private func disconnect(_ record: SessionRecord, _ catalog: SessionCatalog) async throws -> Bool {
        do {
            return try await catalog.withSession(of: record) { session in
                // A revocation that has begun is completed, together with the removal of the record.
                try await Task {
                    do { return try await session.disconnect() } catch let error as any ErrorGuidance {
                        // Nothing has been done yet if the provider does not support revocation, or its metadata is
                        // unavailable.
                        try await session.signOut()
                        throw error
                    }
                }
                .value
            }
        } catch let error as ProtocolViolationError where error.rule == .missingMetadata {
            throw CommandError(
                "notRevoked",
                "Signed out here, but \(record.provider.name) does not support revocation",
                "Remove the access on the provider's website.",
                status: .refused,
                endsSession: true
            )
        } catch let error as StoreError {
            throw error
        } catch let error as any ErrorGuidance {
            let status = ErrorReport(error).status
            throw CommandError(
                "notRevoked",
                "Signed out here, but the provider did not revoke the access: \(error.description)",
                "Remove the access on the provider's website.",
                status: status,
                endsSession: true
            )
        }
    }
}
