// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON

/// `tessera agent`.
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Serve access tokens to local programs",
        discussion: """
            Local programs in any language request short-lived access tokens for an account, as with ssh-agent. The \
            refresh token never leaves the agent. Any of your programs can request any token, and other users' \
            programs are rejected. Each request is written to the audit log. Docs/Agent.md describes the protocol.

            Examples:
              tessera agent
              eval "$(tessera agent --print-env)"; tessera token
              tessera agent start --audit ~/agent.audit --store file:/srv/robot/sessions
              tessera agent status
              tessera agent stop
              curl --unix-socket "$TESSERA_AGENT_SOCK" -d '{}' http://localhost/v1/token
            """,
        subcommands: [AgentStartCommand.self, AgentStatusCommand.self, AgentStopCommand.self],
        defaultSubcommand: AgentStartCommand.self
    )
}

/// `tessera agent status`.
struct AgentStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the status and accounts of the agent",
        discussion: """
            The exit code is 2 if no agent is running.

            Examples:
              tessera agent status
              tessera agent status --json
            """
    )

    @OptionGroup var socket: SocketOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let client = AgentClient(self.socket.location, timeout: .seconds(30))
        let status = try await client.status()
        let accounts = try await client.accounts()
        self.output.result(self.json(status, accounts), self.text(status, accounts))
    }

    private func json(_ status: AgentStatus, _ accounts: [AgentAccount]) -> JSONNode {
        [
            "socket": .string(self.socket.location.socket),
            "pid": .integer(Int64(status.process)),
            "uptime": .integer(status.uptime),
            "grants": .integer(status.grants),
            "refusesDumps": .bool(status.memory.refusesDumps),
            "memoryLocked": .bool(status.memory.isLocked),
            "accounts": .array(
                accounts.map { account in
                    [
                        "account": .string(account.name),
                        "email": AccountReport.text(account.email),
                        "subject": .string(account.account.subject),
                        "issuer": .string(account.account.issuer),
                        "clientID": .string(account.account.clientID),
                        "granted": .array(account.grantedScopes.map { .string($0.rawValue) }),
                        "state": .string((account.isSignedIn ? AccountReport.State.signedIn : .needsSignIn).rawValue),
                        "type": .string(account.tokenType.rawValue),
                    ]
                }
            ),
        ]
    }

    private func text(_ status: AgentStatus, _ accounts: [AgentAccount]) -> TerminalText {
        var table = FieldTable()
        table.add("Socket", self.socket.location.socket)
        table.add("Process", "\(status.process), for \(TimeText.span(of: status.uptime))")
        table.add("Tokens issued", "\(status.grants)")
        table.add("Debuggers", status.memory.refusesDumps ? "blocked" : "can read its memory")
        table.add("Swap", status.memory.isLocked ? "disabled for tokens" : "tokens may be written to it")
        table.add(
            "Accounts",
            accounts.map { account in
                let state = account.isSignedIn ? "" : ", needs sign-in"
                let bound = account.tokenType == .bearer ? "" : ", bound to a key: not served"
                return "\(account.name) at \(account.account.issuer)\(state)\(bound)"
            }
        )
        return table.text
    }
}

/// `tessera agent stop`.
struct AgentStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop the agent after it saves pending changes",
        discussion: """
            Examples:
              tessera agent stop
            """
    )

    @OptionGroup var socket: SocketOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let location = self.socket.location
        try await AgentClient(location, timeout: .seconds(30)).stop()
        self.output.result(["socket": .string(location.socket), "stopped": true], "The agent is stopping.")
    }
}
