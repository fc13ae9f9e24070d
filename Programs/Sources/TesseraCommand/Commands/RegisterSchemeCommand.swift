// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import TesseraJSON
internal import TesseraUserAgents

/// `tessera register-scheme`.
struct RegisterSchemeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register-scheme",
        abstract: "Register a private URL scheme on a Linux desktop",
        discussion: """
            The desktop then starts the program for every URL with the scheme, such as the redirect to \
            com.example.app:/callback at the end of a sign-in. The command writes a desktop entry for the current user \
            and selects it in mimeapps.list. With --remove, it reverts both changes.

            Examples:
              tessera register-scheme com.example.app --exec /opt/example/bin/example --name Example
              tessera register-scheme com.googleusercontent.apps.123-abc --exec ./example
              tessera register-scheme com.example.app --status
              tessera register-scheme com.example.app --remove
            """
    )

    @Argument(help: "The scheme without the colon: your domain name in reverse order.")
    var scheme: String

    @OptionGroup var program: ProgramOptions

    @Flag(help: "Replace another program or command line that already opens the scheme.")
    var replace = false

    @Flag(help: "Remove the registration.")
    var remove = false

    @Flag(help: "Show which program opens the scheme without changing anything.")
    var status = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        let flags = [(self.remove, "--remove"), (self.status, "--status"), (self.replace, "--replace")]
        let given = flags.filter(\.0).map(\.1)
        if given.count > 1 { throw ValidationError("\(given[0]) and \(given[1]) cannot be used together.") }
        if self.remove || self.status, let option = self.program.firstGiven {
            throw ValidationError("\(given[0]) and \(option) cannot be used together.")
        }
    }

    func run() async throws {
        guard let scheme = PrivateScheme(self.scheme) else {
            throw CommandError.usage(
                "\(self.scheme) cannot be registered: "
                    + (PrivateScheme.objection(to: self.scheme) ?? ""),
                "Use your domain name in reverse order, such as com.example.app."
            )
        }
        #if canImport(Darwin)
        throw CommandError.usage(
            "Apple platforms have no desktop entries",
            "Add \(scheme.name) to CFBundleURLTypes in the app's Info.plist."
        )
        #else
        let registration = SchemeRegistration(scheme: scheme, places: try ApplicationDirectories(Environment.value))
        if self.status { return try await self.report(registration) }
        if self.remove { return try await self.remove(registration) }
        let entry = try await FileBytes.blocking { [program = self.program] in try program.entry(for: scheme) }
        let handler = try await FileBytes.blocking { [replace = self.replace] in
            try registration.register(entry, replacing: replace)
        }
        await self.refresh(registration.places)
        let report = SchemeReport(scheme: scheme, handler: handler)
        self.output.result(.object(report.members), "Registered.\n\n\(report.text)")
        #endif
    }

    private func report(_ registration: SchemeRegistration) async throws {
        let report = try await self.find(registration)
        self.output.result(.object(report.members), report.text)
    }

    private func remove(_ registration: SchemeRegistration) async throws {
        guard try await FileBytes.blocking({ try registration.remove() }) else {
            throw CommandError.usage(
                "No program is registered for \(registration.scheme.name)",
                "Nothing was changed."
            )
        }
        await self.refresh(registration.places)
        let report = try await self.find(registration)
        let next = report.handler.map { "\nIt is opened by \($0.description) again." } ?? ""
        self.output.result(
            .object(report.members + [JSONMember(name: "removed", value: true)]),
            "Removed: \(registration.scheme.name)\(next)"
        )
    }

    private func find(_ registration: SchemeRegistration) async throws -> SchemeReport {
        let handler = try await FileBytes.blocking {
            SchemeHandler.find(for: registration.scheme, in: registration.places)
        }
        return SchemeReport(scheme: registration.scheme, handler: handler)
    }

    /// Updates the desktop's menus if the required program is installed.
    ///
    /// URLs open even without this update.
    private func refresh(_ places: ApplicationDirectories) async {
        let name = "update-desktop-database"
        guard let path = DetachedProgram.find(name, path: Environment.value("PATH")) else { return }
        let status = await DetachedProgram.run(path, arguments: [name, places.ownDirectory])
        self.output.remark("\(name) ended with status \(status)")
    }
}
