// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON
internal import TesseraUserAgents

/// `tessera agent start`.
struct AgentStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Run the agent in the foreground or background",
        discussion: """
            After SIGTERM or Ctrl-C, the agent completes and saves a pending refresh before it exits. An agent that \
            crashed is replaced, and a second agent is not started. The audit log is written to standard error, or to \
            a file in ~/.local/share/tessera when the agent runs in the background.

            With systemd's socket activation (tessera-agent.socket), the agent uses the socket that systemd created, \
            and does not remove it.

            Examples:
              tessera agent start
              tessera agent start --audit ~/agent.audit
              eval "$(tessera agent start --print-env)"
            """
    )

    @Flag(help: "Start the agent in the background if none is running, and print shell commands for eval.")
    var printEnv = false

    @Option(
        help: ArgumentHelp("The audit log file, which gets a line for each issued or denied token.", valueName: "file"),
        completion: .file()
    )
    var audit: String?

    @OptionGroup var socket: SocketOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        if self.printEnv { return try await self.printEnvironment() }
        let inherited = try self.inheritedSocket()
        // If the process that reads the audit log exits, writes fail, and the agent keeps running but issues no tokens.
        signal(SIGPIPE, SIG_IGN)
        let memory = MemoryProtection.take()
        let catalog = try self.store.open()
        let accounts = StoredAgentAccounts(catalog: catalog)
        let audit = self.audit.map { AgentAudit.file($0.absolutePath) } ?? .standardError
        let agent =
            if let inherited {
                try await TokenAgent.start(on: inherited, accounts: accounts, audit: audit, memory: memory)
            } else {
                try await TokenAgent.start(
                    at: self.socket.location,
                    accounts: accounts,
                    audit: audit,
                    memory: memory
                )
            }
        self.output.remark("Sessions are stored in \(catalog.uri)")
        if !memory.refusesDumps {
            Console.note("tessera: This system cannot prevent debuggers from reading the agent's memory.")
        }
        if !memory.isLocked {
            self.output.remark(
                "Tokens may be written to swap. Raise the limit for locked memory (ulimit -l, LimitMEMLOCK)"
            )
        }
        self.output.result(
            ["socket": .string(agent.location.socket), "pid": .integer(Int64(getpid()))],
            "The agent is listening at \(agent.location.socket)"
        )
        await agent.waitForEnd()
        await agent.stop()
    }

    /// Returns the socket that systemd passed to this process, or nil if the agent creates its own.
    private func inheritedSocket() throws -> InheritedSocket? {
        guard let inherited = try InheritedSocket.fromEnvironment() else { return nil }
        if let path = self.socket.socket, AgentLocation(socket: path) != inherited.location {
            throw CommandError.usage(
                "--socket is \(path), but the inherited socket is \(inherited.location.socket)",
                "Remove --socket, or change ListenStream in the systemd unit."
            )
        }
        return inherited
    }

    private func printEnvironment() async throws {
        let location = self.socket.location
        var options = ["--socket", location.socket]
        guard let audit = self.audit?.absolutePath ?? UserDirectories.data.map({ $0 + "/agent.audit" }) else {
            throw CommandError.usage("The home directory for the audit log is unknown", "Choose a file with --audit.")
        }
        options += ["--audit", audit]
        if let store = self.store.store { options += ["--store", store] }
        let (status, isStarted) = try await BackgroundAgent(location: location).status(starting: options)
        if !isStarted, self.store.store != nil || self.audit != nil {
            Console.note(
                """
                tessera: The agent at \(location.socket) was already running. It keeps its own store and audit log. To \
                start another one, add --socket with a different path.
                """
            )
        }
        self.output.result(
            ["socket": .string(location.socket), "pid": .integer(Int64(status.process))],
            "\(AgentLocation.variable)=\(Self.quoted(location.socket)); export \(AgentLocation.variable);\n"
                + "echo Agent pid \(status.process);"
        )
    }

    /// Returns a word quoted for a shell.
    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}

/// The sessions in a store, as the agent accesses them.
struct StoredAgentAccounts: AgentAccounts {
    let catalog: SessionCatalog

    func records() async throws -> [SessionRecord] { try await self.catalog.items().compactMap(\.readable) }

    func accounts() async throws -> [Account] { try await self.catalog.items().map(\.account) }

    func record(named name: String?) async throws -> SessionRecord {
        do {
            return try await self.catalog.record(named: name)
        } catch let error as CommandError {
            let code: AgentError.Code = error.status == .signInNeeded ? .loginRequired : .accountSelectionRequired
            throw AgentError(code, detail: "\(error.description). \(error.recoverySuggestion ?? "")")
        }
    }

    func signIn(for record: SessionRecord) -> SignIn { self.catalog.signIn(for: record) }
}

/// An agent that runs in the background after this process exits.
struct BackgroundAgent {
    let location: AgentLocation

    /// Returns the status of the running agent, starting one if necessary.
    ///
    /// - Parameter options: The options for `tessera agent start`.
    /// - Returns: The agent's status, and whether it was started.
    /// - Throws: Any error that the request throws, or ``CommandError`` if the agent does not start.
    func status(starting options: [String]) async throws -> (AgentStatus, isStarted: Bool) {
        let client = AgentClient(self.location, timeout: .seconds(5))
        do {
            return (try await client.status(), isStarted: false)
        } catch AgentError.Code.notRunning {
            let location = self.location
            try await FileBytes.blocking { try location.prepare() }
            let end = try self.start(options)
            for _ in 0..<500 {
                try await ContinuousClock().sleep(for: .milliseconds(20))
                if let status = try? await client.status() { return (status, isStarted: true) }
                if let status = end.value {
                    throw Self.failed("it exited with code \(status)", ExitStatus(rawValue: status) ?? .unexpected)
                }
            }
            throw Self.failed("it does not respond")
        }
    }

    /// Starts the agent, and returns an object that receives its exit status when it exits.
    private func start(_ options: [String]) throws -> EndStatus {
        guard let program = SiblingProgram.own else { throw Self.failed("the path of this program is unknown") }
        let end = EndStatus()
        let isStarted = DetachedProgram.start(
            program,
            arguments: [program, "agent", "start"] + options,
            environment: ProcessInfo.processInfo.environment
        ) { status in
            end.set(status)
        }
        guard isStarted else { throw Self.failed("\(program) cannot be started") }
        return end
    }

    /// The exit status of a program that may still be running.
    private final class EndStatus: Sendable {
        private let status = Mutex<Int32?>(nil)

        func set(_ value: Int32) { self.status.withLock { $0 = value } }
        var value: Int32? { self.status.withLock { $0 } }
    }

    private static func failed(_ detail: String, _ status: ExitStatus = .usage) -> CommandError {
        CommandError(
            "agentNotStarted",
            "The agent could not be started in the background: \(detail)",
            "Run 'tessera agent start' with the same options to see why.",
            status: status
        )
    }
}
