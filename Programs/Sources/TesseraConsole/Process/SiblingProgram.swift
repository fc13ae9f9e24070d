// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An executable that carries out a subcommand of `tessera`, since it links what `tessera` itself does not need.
package struct SiblingProgram: Sendable {
    /// The name of the executable.
    package let name: String
    /// The subcommand of `tessera`.
    package let command: String
    /// The action.
    package let abstract: String
    /// The additional help text of the subcommand.
    package let discussion: String

    private init(_ name: String, _ command: String, _ abstract: String, remark: String = "", examples: String...) {
        self.name = name
        self.command = command
        self.abstract = abstract
        let start = "Starts \(name) with these arguments; 'tessera \(command) --help' lists them.\(remark)"
        self.discussion = ([start, "", "Examples:"] + examples.map { "  tessera \(command)\($0)" })
            .joined(separator: "\n")
    }

    /// Reads discovery documents.
    package static let api = SiblingProgram(
        "tessera-api",
        "api",
        "Calls any method of any of Google's APIs by its name.",
        examples: " drive.files.list --page-size 10",
        " drive"
    )

    /// Like the next two, links APIs of Google as generated code.
    package static let drive = SiblingProgram(
        "tessera-api",
        "drive",
        "Lists, gets, puts and removes files of Google Drive.",
        examples: " ls",
        " put film.mp4"
    )

    package static let gmail = SiblingProgram(
        "tessera-api",
        "gmail",
        "Lists, reads and sends mail by Gmail.",
        examples: " ls is:unread",
        " send --to mia@example.com --subject Hello"
    )

    package static let storage = SiblingProgram(
        "tessera-api",
        "storage",
        "Lists, gets and puts objects of Google Cloud Storage.",
        examples: " ls my-bucket",
        " put my-bucket film.mp4"
    )

    /// Links a whole web server, as the demo does.
    package static let provider = SiblingProgram(
        "tessera-provider",
        "provider",
        "Runs a Google-like provider with a small Drive on this computer.",
        examples: "",
        " --port 8400 --data ~/Documents"
    )

    package static let demo = SiblingProgram(
        "tessera-demo",
        "demo",
        "Shows a whole sign-in, with a provider on this computer.",
        remark: " It needs no account and no network.",
        examples: "",
        " --headless"
    )

    /// Is a part of the library's package, whose plugin runs it, too.
    package static let generator = SiblingProgram(
        "google-api-generator",
        "generate",
        "Makes a Swift module of one of Google's APIs.",
        remark: """


            Generating code from a document means trusting it: the document decides which server the code calls, and that
            server receives your users' access tokens.
            """,
        examples: " drive.v3 --output Sources --include files.list,files.get",
        " vision.v1.json --output Sources"
    )

    /// Puts a program into this process's place; returns only by throwing.
    ///
    /// It is next to `tessera` or in `PATH`, as git's own programs are.
    package static func become(_ name: String, _ arguments: [String]) throws -> Never {
        let directories = Self.ownDirectory.map { [$0] } ?? []
        let candidates = (directories + Self.searchPath).map { "\($0)/\(name)" }
        guard let program = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw CommandError.usage("\(name) is neither beside tessera nor in PATH", "Build it with 'make tessera'.")
        }
        var words = ([program] + arguments).map { strdup($0) }
        words.append(nil)
        execv(program, words)
        throw CommandError.usage("\(program): \(String(cString: strerror(errno)))", "Build it again.")
    }

    /// This very executable, links resolved; nil where it cannot be found.
    package static var own: String? {
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
            return String(cString: resolved).parentDirectory
        }
        return nil
    }
}
