// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera accounts`: lists, and has `select` below it.
struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Lists the accounts that are kept; chooses the one that is meant.",
        discussion: """
            Nothing is asked from the network.

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
