// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The executables that `tessera` starts, as git starts its own: they lie beside it, or in `PATH`.
enum SiblingProgram {
    /// Puts the program into this process's place; returns only by throwing.
    static func become(_ name: String, _ arguments: [String]) throws -> Never {
        let directories = Self.ownDirectory.map { [$0] } ?? []
        let candidates = (directories + Self.searchPath).map { "\($0)/\(name)" }
        guard let program = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw CommandError.usage(
                "\(name) is neither beside tessera nor in PATH",
                "Build it with 'make tessera'."
            )
        }
        var words = ([program] + arguments).map { strdup($0) }
        words.append(nil)
        execv(program, words)
        throw CommandError.usage("\(program): \(String(cString: strerror(errno)))", "Build it again.")
    }

    /// This very executable, links resolved; nil where it cannot be found.
    static var own: String? {
        guard let name = CommandLine.arguments.first?.split(separator: "/").last else { return nil }
        return Self.ownDirectory.map { "\($0)/\(name)" }
    }

    private static var searchPath: [String] {
        (Environment.value("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    }

    /// The directory of this very executable, links resolved.
    private static var ownDirectory: String? {
        guard let name = CommandLine.arguments.first else { return nil }
        let paths = name.contains("/") ? [name] : Self.searchPath.map { "\($0)/\(name)" }
        for path in paths {
            guard access(path, X_OK) == 0, let resolved = realpath(path, nil) else { continue }
            defer { free(resolved) }
            let text = String(cString: resolved)
            return text.lastIndex(of: "/").map { String(text[..<$0]) }
        }
        return nil
    }
}
