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
            """
    )

    @Flag(help: "Revoke the access at the provider first.")
    var revoke = false

    @OptionGroup var account: AccountOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let shelf = try self.account.store.open()
        let item = try await shelf.item(named: self.account.account)
        let name = item.readable.map { AccountReport($0).name } ?? item.account.subject
        if self.revoke {
            try await self.disconnect(try item.record.get(), shelf)
        } else {
            try await shelf.store.remove(item.account)
        }
        let where_ = self.revoke ? "here and at the provider" : "here; the access still exists at the provider"
        self.output.result(
            ["account": .string(name), "removed": true, "revoked": .bool(self.revoke)],
            "Signed out \(where_): \(name)"
        )
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
