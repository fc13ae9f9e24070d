// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import ArgumentParser
package import TesseraConsole
package import TesseraStores

extension CommandLineProgram {
    /// Runs `tessera`, which is built as several executables that support different stores.
    ///
    /// - Parameter databases: The stores that this executable supports in addition to the common ones. If the arguments
    ///   name a store that is not supported, this process is replaced by `tessera-databases`.
    package static func main(databases: [StoreFactory] = []) -> Never {
        StoreKinds.$databases.withValue(databases) { Self.main() }
    }

    /// Runs the commands of another program, which is also built as several executables.
    ///
    /// - Parameters:
    ///   - root: The root command.
    ///   - databases: The stores that this executable supports in addition to the common ones. If the arguments name a
    ///     store that is not supported, this process is replaced by `tessera-databases`.
    package static func main(_ root: any ParsableCommand.Type, databases: [StoreFactory]) -> Never {
        StoreKinds.$databases.withValue(databases) {
            Self.becomeDatabasesProgram(CommandLine.arguments.dropFirst(), of: root)
            Self.main(root)
        }
    }

    private static func main() -> Never {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.isEmpty, Console.isOutputTerminal, !StoreKinds.needsDatabases(arguments) {
            Self.run(of: TesseraCommand.self) { await Overview.show() }
        }
        do {
            if let token = try PlainCredentialCall(arguments)?.token() {
                Self.run(of: TesseraCommand.self) { try await token.run() }
            }
        } catch {
            Self.fail(error, of: TesseraCommand.self)
        }
        Self.becomeDatabasesProgram(arguments, of: TesseraCommand.self)
        do {
            if try PlainTokenCall(arguments)?.finish() == true { Self.end(of: TesseraCommand.self) }
        } catch {
            Self.fail(error, of: TesseraCommand.self)
        }
        Self.main(TesseraCommand.self)
    }

    /// Replaces this process by `tessera-databases` if the arguments name a store that only that program supports.
    ///
    /// If `tessera-databases` is missing, this program continues and reports an error when the store is used.
    private static func becomeDatabasesProgram(_ arguments: ArraySlice<String>, of root: any ParsableCommand.Type) {
        let name = "tessera-databases"
        guard StoreKinds.needsDatabases(arguments), SiblingProgram.path(of: name) != nil else { return }
        do { try SiblingProgram.become(name, Array(arguments)) } catch { Self.fail(error, of: root) }
    }
}
