// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraJSON

/// `tessera userinfo`.
struct UserInfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "userinfo",
        abstract: "Show the user's profile from the provider",
        discussion: """
            The response must be about the same user as the sign-in.

            Examples:
              tessera userinfo
              tessera userinfo --json --account work
            """
    )

    @OptionGroup var account: AccountOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (record, catalog) = try await self.account.record()
        let claims = try await catalog.withSession(of: record) { session in try await session.userInfo() }
        self.output.result(.parsed(claims), Self.table(claims))
    }

    private static func table(_ claims: JSONValue) -> TerminalText {
        var table = FieldTable()
        for member in claims.members.map(Array.init) ?? [] {
            let text = member.value.string ?? member.value.text
            table.add(member.name, text)
        }
        return table.text
    }
}
