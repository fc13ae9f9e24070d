// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import HTTPTypes
internal import TesseraAPIGenerator
internal import TesseraCommand
internal import TesseraOAuth

/// `tessera api`.
struct MethodCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: SiblingProgram.api.command,
        abstract: SiblingProgram.api.abstract,
        discussion: """
            The API's discovery document defines the methods and their parameters. Run 'tessera api drive' to list the \
            methods of an API, and 'tessera api drive.files.list --help' to list the parameters of a method. Write \
            each parameter as an option, and repeat the option to pass a list. If the parameter has the same name as \
            an option of this command, write --param NAME=VALUE.

            Examples:
              tessera api drive.files.list --page-size 10 --q "name contains 'film'"
              tessera api drive.files.list --all --format table --fields 'files(id,name,size)'
              tessera api drive.files.create --body '{"name":"film.mp4"}' --upload film.mp4
              tessera api calendar.calendarList.list --help
              tessera api calendar.events.insert --schema
              tessera api drive.files.list --credentials key.json --subject ada@example.com
            """,
        helpNames: []
    )

    @Argument(
        help: ArgumentHelp("A method such as drive.files.list, or an API to list its methods.", valueName: "method")
    )
    var method: String?

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The method's parameters: --page-size 10.", valueName: "parameters")
    )
    var words: [String] = []

    @Option(help: ArgumentHelp("A parameter by its exact name, as NAME=VALUE.", valueName: "parameter"))
    var param: [String] = []

    @Option(help: ArgumentHelp("The fields of the response: 'files(id,name)'.", valueName: "fields"))
    var fields: String?

    @Option(help: ArgumentHelp("The body: JSON, @FILE, or - for standard input.", valueName: "json"))
    var body: String?

    @Flag(help: "Get all pages of a list. In a pipe, each page is one line.")
    var all = false

    @Flag(help: "Print the types of the request and the response.")
    var schema = false

    @Option(help: ArgumentHelp("json, or table, csv or tsv for items in columns.", valueName: "format"))
    var format: String?

    @OptionGroup var media: MediaOptions

    @Option(help: ArgumentHelp("The API's version. (default: the preferred version)", valueName: "version"))
    var apiVersion: String?

    @Option(
        help: ArgumentHelp("The discovery document. (default: Google's, cached for a day)", valueName: "file-or-url"),
        completion: .file(extensions: ["json"])
    )
    var discovery: String?

    @Flag(name: .shortAndLong, help: "Show help. After a method, show its parameters.")
    var help = false

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var console: OutputOptions

    func run() async throws {
        guard let method else {
            guard self.help else { throw ValidationError("Specify a method, such as drive.files.list.") }
            return Console.print(TerminalText(lines: GoogleCommand.helpMessage(for: Self.self)))
        }
        let name = try MethodName(method, version: self.apiVersion)
        let document = try await DocumentSource(location: self.discovery).document(of: name)
        guard let method = try name.method(in: document) else {
            return try await self.printIndex(MethodIndex(document, name))
        }
        if self.help { return Console.print(MethodHelp(method, document).text) }
        if self.schema {
            let schema = MethodSchema(method, document)
            return self.console.json || self.format == "json"
                ? Console.print(json: schema.json) : Console.print(schema.text)
        }
        var arguments = MethodArguments(method)
        let format = try self.format(of: method, &arguments)
        if self.media.isUsed, self.all || format != .json {
            throw CommandError.usage(
                "--all and --format are for lists, not for files",
                "Remove them, or remove --upload and --output."
            )
        }
        try arguments.read(self.words)
        for text in self.param { try arguments.read(pair: text) }
        try await arguments.read(body: self.body)
        try arguments.check()
        let call = MethodCall(
            document: document,
            method: method,
            arguments: arguments.arguments,
            fields: self.fields,
            media: self.media
        )
        if let verb = HTTPRequest.Method(method.httpMethod) {
            try self.connection.guards.check(verb, path: "/" + document.servicePath + method.path)
        }
        try await self.connection.connect(scopes: self.scopes(of: method)) { connection in
            self.console.remark("\(method.httpMethod) \(method.id)")
            if self.media.isUsed {
                try await call.transfer(connection, output: self.console)
            } else {
                try await call.run(connection, isAll: self.all, format: format)
            }
        }
    }

    /// Returns the scope to request: the first one that permits the call, as it permits the most, or the read-only scope
    /// of the whole API if a session reads.
    private func scopes(of method: DiscoveryMethod) -> [Scope] {
        let isReading = ["GET", "HEAD"].contains(method.httpMethod) && !self.connection.credentials.isUsed
        let readOnly = method.scopes.filter { $0.hasSuffix(".readonly") }.min { $0.count < $1.count }
        return ((isReading ? readOnly : nil) ?? method.scopes.first).map { [Scope($0)] } ?? []
    }

    /// Returns the output format, or passes it to the method if the method has a `format` parameter with other values.
    private func format(of method: DiscoveryMethod, _ arguments: inout MethodArguments) throws -> ListFormat {
        guard let text = self.format else { return .json }
        if let format = ListFormat(rawValue: text) {
            guard self.console.json, format != .json else { return format }
            throw ValidationError("--json and --format \(text) cannot be used together.")
        }
        guard method.parameters.contains(where: { $0.name == "format" }) else {
            throw CommandError.usage(
                "--format: \(text) is not a format",
                "Write --format json, table, csv or tsv."
            )
        }
        try arguments.read(pair: "format=" + text)
        return .json
    }

    /// Prints the methods of an API, as a table by default.
    private func printIndex(_ index: MethodIndex) async throws {
        var list = ListOptions()
        list.output = self.console
        list.format = self.format.flatMap { ListFormat(rawValue: $0) }
        try list.validate()
        list.result(index.json, index.rows)
    }
}

/// A file to upload with a call or to download with it.
struct MediaOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Send this file.", valueName: "file"), completion: .file())
    var upload: String?

    @Option(help: ArgumentHelp("The media type of the --upload file.", valueName: "media-type"))
    var uploadType = "application/octet-stream"

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the contents to this file. - writes to standard output.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Continue an interrupted transfer.")
    var resume = false

    func validate() throws {
        if self.upload != nil, self.output != nil {
            throw ValidationError("--upload and --output cannot be used together.")
        }
        if self.resume, self.upload == nil, (self.output ?? "-") == "-" {
            throw ValidationError("--resume requires --upload FILE or --output FILE.")
        }
    }

    /// Whether a file is uploaded or downloaded.
    var isUsed: Bool { self.upload != nil || self.output != nil }
}
