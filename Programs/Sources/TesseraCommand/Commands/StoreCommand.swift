// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera store`: what is below it.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Checks a store of sessions; copies sessions from one store to another.",
        discussion: """
            Stores:
              file:DIR                      encrypted files, their key in a file of its own
              passphrase:DIR                encrypted files, their key opened by a passphrase ($TESSERA_PASSPHRASE)
              secret-service:               the keyring of a Linux desktop
              keychain:login                the login keychain of a Mac
              sqlite:FILE                   a database for the many users of one machine
              postgresql://USER@HOST/NAME   a database for any number of machines
              memory:                       nothing stays

            Examples:
              tessera store check
              tessera store copy secret-service: file:/srv/robot/sessions
            """,
        subcommands: [StoreCheckCommand.self, StoreCopyCommand.self]
    )
}
