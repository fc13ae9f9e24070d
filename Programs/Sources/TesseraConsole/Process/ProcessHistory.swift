// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// The programs of this package that this process has run before, because each was replaced by the next one.
///
/// A program that replaces itself writes the list to an environment variable. Programs of an earlier version leave the
/// variable unchanged. It starts with the process's identifier, so other processes that inherit it ignore it.
struct ProcessHistory: Equatable {
    static let variable = "TESSERA_PROCESS_HISTORY"

    /// The version of the last program that replaced itself.
    let version: String
    /// The names of the programs, starting with the first one.
    let names: [String]

    init(version: String, names: [String]) {
        self.version = version
        self.names = names
    }

    /// Reads the value of the variable.
    ///
    /// - Returns: The list, or nil if the value was written by another process.
    init?(_ text: String, process: Int32) {
        let parts = text.split(separator: "\t").map(String.init)
        guard parts.count > 2, parts[0] == "\(process)" else { return nil }
        self.init(version: parts[1], names: Array(parts.dropFirst(2)))
    }

    /// Returns the value of the variable, which the initializer reads.
    func text(process: Int32) -> String {
        (["\(process)", self.version] + self.names).joined(separator: "\t")
    }

    /// The programs before this one, or nil if this one is the first.
    static let current = Environment.value(Self.variable).flatMap { Self($0, process: getpid()) }

    /// Adds the next program, which is about to replace this one.
    ///
    /// - Throws: An error if the process has already run the next program. Each of two programs that have different
    ///   versions can expect that the other one implements a command, and would run the other one forever.
    static func adding(_ name: String, to history: ProcessHistory?, own: String) throws -> ProcessHistory {
        let names = (history?.names ?? []) + (history?.names.last == own ? [] : [own])
        guard !names.contains(name) else {
            throw CommandError.usage(
                "\(own) did not run \(name), because \(name) has already run \(own) for this command: the installed "
                    + "programs have different versions",
                "Install all programs from one release. 'tessera doctor' lists the versions."
            )
        }
        return ProcessHistory(version: ReleaseVersion.summary, names: names + [name])
    }

    /// Advice for a usage error if a program of another version passed the command on, or nil.
    static func advice(_ history: ProcessHistory?) -> String? {
        guard let history, history.version != ReleaseVersion.summary else { return nil }
        return "This is \(ReleaseVersion.summary), but \(UntrustedText.printable(history.version, limit: 100)) ran it. "
            + "Install all programs from one release."
    }
}
