// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import ArgumentParser
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON

/// `tessera logout`.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Forgets a session here; with --revoke it ends at the provider, too.",
        discussion: """
            Without --revoke nothing is asked from the network, and the access still exists at the provider. Even a
            damaged session can be forgotten.

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
        throw ValidationError("--all and --account are not used together")
    }

    func run() async throws {
        let shelf = try self.account.store.open()
        let where_ = self.revoke ? "here and at the provider" : "here; the access still exists at the provider"
        if self.all {
            var names: [String] = []
            for item in try await shelf.items() { names.append(try await self.signOut(item, shelf)) }
            self.output.result(
                ["accounts": .array(names.map { .string($0) }), "removed": true, "revoked": .bool(self.revoke)],
                names.isEmpty ? "Nobody is signed in." : "Signed out \(where_): \(names.joined(separator: ", "))"
            )
        } else {
            let name = try await self.signOut(try await shelf.item(named: self.account.account), shelf)
            self.output.result(
                ["account": .string(name), "removed": true, "revoked": .bool(self.revoke)],
                "Signed out \(where_): \(name)"
            )
        }
    }

    /// Signs one account out, and returns its name.
    private func signOut(_ item: SessionShelf.Item, _ shelf: SessionShelf) async throws -> String {
        if self.revoke {
            try await self.disconnect(try item.record.get(), shelf)
        } else {
            try await shelf.store.remove(item.account)
        }
        return item.readable.map { AccountReport($0).name } ?? item.account.subject
    }

    private func disconnect(_ record: SessionRecord, _ shelf: SessionShelf) async throws {
        do {
            try await shelf.withSession(of: record) { session in try await session.disconnect() }
        } catch let error as ProtocolViolation where error.rule == .missingMetadata {
            throw CommandError.usage(
                "\(record.provider.name) offers no way to revoke",
                "Sign out without --revoke; nothing was changed."
            )
        } catch let error as StoreError {
            throw error
        } catch let error as any ErrorGuidance {
            let status = ErrorReport(error).status
            throw CommandError(
                "notRevoked",
                "Signed out here, but the provider did not revoke the access: \(error.description)",
                "Remove the access on the provider's own page.",
                status: status,
                sessionSurvives: false
            )
        }
    }
}
#endif
