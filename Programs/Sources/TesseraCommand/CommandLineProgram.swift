// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import ArgumentParser
package import TesseraConsole
package import TesseraStores

extension CommandLineProgram {
    /// Runs `tessera`, whose executables differ in the stores that they are linked with.
    ///
    /// - Parameter databases: The kinds of store that this program has in addition to those of every `tessera`. Where they
    ///   are named and are not here, the program `tessera-databases` takes this one's place.
    package static func main(databases: [StoreFactory] = []) -> Never {
        StoreKinds.$databases.withValue(databases) { Self.main() }
    }

    /// Runs the commands of another executable with the stores that it is linked with.
    package static func main(_ root: any ParsableCommand.Type, databases: [StoreFactory]) -> Never {
        StoreKinds.$databases.withValue(databases) { Self.main(root) }
    }

    private static func main() -> Never {
        let arguments = CommandLine.arguments.dropFirst()
        // Where it is missing, this program goes on and says so if it comes to that store.
        if StoreKinds.needsDatabases(arguments) { try? SiblingProgram.become("tessera-databases", Array(arguments)) }
        do {
            if try PlainTokenCall(arguments)?.finish() == true { exit(ExitStatus.success.rawValue) }
        } catch {
            Self.fail(error, of: TesseraCommand.self)
        }
        Self.main(TesseraCommand.self)
    }
}
