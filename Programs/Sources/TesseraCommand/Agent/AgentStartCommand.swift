// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON

/// `tessera agent start`.
struct AgentStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Runs the agent until it is interrupted, or in the background.",
        discussion: """
            SIGTERM and Ctrl-C let a renewal that is under way end and save first. An agent that died is replaced; beside
            one that lives none is started. The audit goes to standard error; in the background to a file in
            ~/.local/share/tessera.

            Examples:
              tessera agent start
              tessera agent start --audit ~/agent.audit
              eval "$(tessera agent start --print-env)"
            """
    )

    @Flag(help: "Start the agent in the background, unless one runs, and print what a shell has to read (eval).")
    var printEnv = false

    @Option(
        help: ArgumentHelp("Add a line to this file for each token that was given or refused.", valueName: "file"),
        completion: .file()
    )
    var audit: String?

    @OptionGroup var socket: SocketOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        if self.printEnv { return try await self.printEnvironment() }
        // Where nothing reads the audit any more, writing it fails, and the agent goes on without giving out tokens.
        signal(SIGPIPE, SIG_IGN)
        let memory = MemoryProtection.take()
        let shelf = try self.store.open()
        let agent = try await TokenAgent.start(
            at: self.socket.place,
            accounts: AgentShelf(shelf: shelf),
            audit: self.audit.map { .file($0.absolutePath) } ?? .standardError,
            memory: memory
        )
        self.output.remark("Sessions are kept in \(shelf.uri)")
        if !memory.refusesDumps { Console.note("tessera: This system does not keep debuggers from the agent.") }
        if !memory.isLocked {
            self.output.remark("Tokens may reach swap: lift the limit on locked memory (ulimit -l, LimitMEMLOCK)")
        }
        self.output.result(
            ["socket": .string(agent.place.socket), "pid": .integer(Int64(getpid()))],
            "The agent listens at \(agent.place.socket)"
        )
        await agent.waitForEnd()
        await agent.stop()
    }

    private func printEnvironment() async throws {
        let place = self.socket.place
        var options = ["--socket", place.socket]
        guard let audit = self.audit?.absolutePath ?? UserDirectories.data.map({ $0 + "/agent.audit" }) else {
            throw CommandError.usage("No home directory is known for the audit", "Name a file with --audit.")
        }
        options += ["--audit", audit]
        if let store = self.store.store { options += ["--store", store] }
        let status = try await BackgroundAgent(place: place).status(starting: options)
        self.output.result(
            ["socket": .string(place.socket), "pid": .integer(Int64(status.process))],
            "\(AgentPlace.variable)=\(Self.quoted(place.socket)); export \(AgentPlace.variable);\n"
                + "echo Agent pid \(status.process);"
        )
    }

    /// A word as a shell takes it.
    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
