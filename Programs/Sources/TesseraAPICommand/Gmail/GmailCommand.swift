// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera gmail`.
struct GmailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gmail",
        abstract: "Lists, reads and sends mail by Gmail.",
        discussion: """
            Examples:
              tessera gmail ls is:unread
              tessera gmail get ID
              tessera gmail send --to mia@example.com --subject Hello --file letter.txt
            """,
        subcommands: [GmailListCommand.self, GmailGetCommand.self, GmailSendCommand.self]
    )
}
