// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import TesseraCommand
internal import TesseraConsole
package import TesseraStores

/// The commands that call Google APIs, which are built as several executables that support different stores.
package enum APIProgram {
    /// Returns whether the first argument names one of these commands.
    package static func handles(_ arguments: some Collection<String>) -> Bool {
        guard let name = arguments.first else { return false }
        return GoogleCommand.configuration.subcommands.contains { $0.configuration.commandName == name }
    }

    /// Runs the command that the process's arguments name, and exits.
    ///
    /// - Parameter databases: The stores that this executable supports in addition to the common ones. If the arguments
    ///   name a store that is not supported, this process is replaced by `tessera-databases`.
    package static func main(databases: [StoreFactory] = []) -> Never {
        CommandLineProgram.main(GoogleCommand.self, databases: databases)
    }
}
