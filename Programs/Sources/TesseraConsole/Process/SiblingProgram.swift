// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An executable that implements a subcommand of `tessera` and links libraries that `tessera` does not need.
package struct SiblingProgram: Sendable {
    /// The name of the executable.
    package let name: String
    /// The subcommand of `tessera`.
    package let command: String
    /// The arguments that select the command in the executable.
    package let selection: [String]
    /// The short help text of the subcommand.
    package let abstract: String
    /// The additional help text of the subcommand.
    package let discussion: String

    private init(
        _ name: String,
        _ command: String,
        _ abstract: String,
        isSubcommand: Bool = false,
        remark: String = "",
        examples: String...
    ) {
        self.name = name
        self.command = command
        self.selection = isSubcommand ? [command] : []
        self.abstract = abstract
        let program = ([name] + self.selection).joined(separator: " ")
        let start = "Runs \(program) with these arguments. 'tessera \(command) --help' lists them.\(remark)"
        self.discussion = ([start, "", "Examples:"] + examples.map { "  tessera \(command)\($0)" })
            .joined(separator: "\n")
    }

    /// Calls any method of a Google API, using its discovery document.
    package static let api = SiblingProgram(
        "tessera-api",
        "api",
        "Call any Google API method by name",
        isSubcommand: true,
        examples: " drive.files.list --page-size 10",
        " drive"
    )

    /// Uses a generated client for Google Drive.
    package static let drive = SiblingProgram(
        "tessera-api",
        "drive",
        "List, transfer, share and remove Google Drive files",
        isSubcommand: true,
        examples: " ls",
        " put film.mp4"
    )

    package static let gmail = SiblingProgram(
        "tessera-api",
        "gmail",
        "List, read, draft and send Gmail messages",
        isSubcommand: true,
        examples: " ls is:unread",
        " send --to mia@example.com --subject Hello"
    )

    package static let calendar = SiblingProgram(
        "tessera-api",
        "calendar",
        "List and add Google Calendar events",
        isSubcommand: true,
        examples: " ls",
        " add 'Team lunch' --start 2026-05-01T12:00:00+02:00"
    )

    package static let storage = SiblingProgram(
        "tessera-api",
        "storage",
        "List, download and upload Cloud Storage objects",
        isSubcommand: true,
        examples: " ls my-bucket",
        " put my-bucket film.mp4"
    )

    /// Runs the local provider, which requires a web server.
    package static let provider = SiblingProgram(
        "tessera-provider",
        "provider",
        "Run a local Google-like provider with a small Drive",
        examples: "",
        " --port 8400 --data ~/Documents"
    )

    package static let demo = SiblingProgram(
        "tessera-provider",
        "demo",
        "Demonstrate a sign-in with a local provider",
        isSubcommand: true,
        remark: " Needs no account and no network.",
        examples: "",
        " --headless"
    )

    /// Generates API clients, and is also run by a plugin in the library's package.
    package static let generator = SiblingProgram(
        "google-api-generator",
        "generate",
        "Generate a Swift module for a Google API",
        remark: """


            Generate code only from a document that you trust. It decides which server the code calls, and that server \
            receives your users' access tokens.
            """,
        examples: " drive.v3 --output Sources --include files.list,files.get",
        " vision.v1.json --output Sources"
    )

    /// Returns the path of a program next to this one or in `PATH`, or nil if it cannot be found.
    package static func path(of name: String) -> String? {
        let directories = Self.ownDirectory.map { [$0] } ?? []
        return (directories + Self.searchPath).map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Replaces this process with another program, and returns only by throwing an error.
    ///
    /// The program is searched for next to `tessera` and in `PATH`, as with git's own programs. A process does not run
    /// a program twice.
    package static func become(_ name: String, _ arguments: [String]) throws -> Never {
        guard let program = Self.path(of: name) else {
            throw CommandError.usage(
                "\(name) was not found next to tessera or in PATH",
                "Install it from the release, or build it with 'make tessera'."
            )
        }
        let own = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "tessera"
        let history = try ProcessHistory.adding(name, to: .current, own: own)
        setenv(ProcessHistory.variable, history.text(process: getpid()), 1)
        var words = ([program] + arguments).map { strdup($0) }
        words.append(nil)
        execv(program, words)
        throw CommandError.usage("\(program): \(String(cString: strerror(errno)))", "Build it again.")
    }

    /// The path of this executable with symbolic links resolved, or nil if it cannot be found.
    package static var own: String? {
        guard let name = CommandLine.arguments.first?.split(separator: "/").last else { return nil }
        return Self.ownDirectory.map { "\($0)/\(name)" }
    }

    private static var searchPath: [String] {
        (Environment.value("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    }

    /// The directory of this executable with symbolic links resolved, or nil if it cannot be found.
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
