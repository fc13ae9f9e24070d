// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera agent`: what is below it.
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Gives your programs access tokens, and keeps the sessions to itself.",
        discussion: """
            As ssh-agent does for keys: a program in any language asks for a short-lived token of an account; the refresh
            token never leaves the agent. Any program of yours gets any token; programs of other users get none. Each
            token is a line of the audit. Docs/Agent.md has the protocol.

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
