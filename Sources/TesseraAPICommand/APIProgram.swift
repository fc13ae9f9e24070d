// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraCommand
public import TesseraStores

/// The whole of the program `tessera-api`.
public enum APIProgram {
    /// Reads the process's arguments and does what they say; the process ends with it.
    ///
    /// - Parameter databases: The kinds of store that this program has beside the usual ones.
    public static func main(databases: [StoreFactory] = []) -> Never {
        #if CommandLine
        CommandLineProgram.main(GoogleCommand.self, databases: databases)
        #else
        CommandLineProgram.main(databases: databases)
        #endif
    }
}
