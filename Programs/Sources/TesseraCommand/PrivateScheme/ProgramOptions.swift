// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraUserAgents

/// The options for the program that opens a scheme.
struct ProgramOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The program: a path, or a name in PATH. The URL is its last argument.",
            valueName: "path"
        ),
        completion: .file()
    )
    var exec: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An argument before the URL. Can be repeated.", valueName: "word")
    )
    var argument: [String] = []

    @Option(help: ArgumentHelp("The name to display. (default: the program's file name)", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("An icon: a name in the icon theme, or a path.", valueName: "icon"))
    var icon: String?

    /// The first of these options on the command line.
    var firstGiven: String? {
        if self.exec != nil { return "--exec" }
        if !self.argument.isEmpty { return "--argument" }
        if self.name != nil { return "--name" }
        return self.icon == nil ? nil : "--icon"
    }

    /// Returns the desktop entry for a scheme.
    ///
    /// - Throws: ``CommandError`` if the program cannot be started or cannot be named in a desktop entry.
    func entry(for scheme: PrivateScheme) throws -> DesktopEntry {
        let program = try self.program()
        let icon = self.icon.map { $0.contains("/") ? $0.absolutePath : $0 }
        let name = self.name ?? program.split(separator: "/").last.map(String.init) ?? program
        let texts = [
            ("--exec", [program]), ("--argument", self.argument), ("--name", [name]), ("--icon", [icon ?? ""]),
        ]
        for (option, values) in texts where values.contains(where: Self.hasControls) {
            throw CommandError.usage("\(option) contains a control character", "Remove the character.")
        }
        guard !name.trimmingWhitespace.isEmpty else { throw CommandError.usage("--name is empty", "Specify a name.") }
        return DesktopEntry(scheme: scheme, name: name, command: [program] + self.argument, icon: icon)
    }

    private func program() throws -> String {
        guard let exec, !exec.isEmpty else {
            throw CommandError.usage("No program was specified", "Add --exec /path/to/program.")
        }
        guard let found = DetachedProgram.find(exec, path: Environment.value("PATH")) else {
            throw CommandError.usage(
                "--exec: \(exec) does not exist or is not executable",
                "Choose an executable program."
            )
        }
        let path = found.absolutePath
        // "The name or path of the executable program may not contain the equal sign"; GLib does not take a doubled '%'.
        guard !path.contains("="), !path.contains("%") else {
            throw CommandError.usage(
                "--exec: a desktop cannot start a program with '=' or '%' in its path",
                "Use a symbolic link without these characters."
            )
        }
        return path
    }

    private static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
