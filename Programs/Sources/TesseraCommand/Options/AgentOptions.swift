// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import TesseraAgent

/// The option for using the token agent.
struct AgentOptions: ParsableArguments {
    @Flag(
        help: "Use the token agent instead of a store. (default if $TESSERA_AGENT_SOCK is set and --store is not given)"
    )
    var agent = false

    /// Returns the address of the agent to use, or nil to use a store.
    func location(insteadOf store: StoreOptions) throws -> AgentLocation? {
        try Self.location(isAsked: self.agent, store: store.store)
    }

    /// Returns the address of the agent to use for parsed options, or nil to use a store.
    static func location(isAsked: Bool, store: String?) throws -> AgentLocation? {
        if isAsked, store != nil {
            throw CommandError.usage("--agent and --store cannot be used together", "Remove one of them.")
        }
        if isAsked { return AgentLocation.fromEnvironment ?? .currentUser }
        return store == nil ? AgentLocation.fromEnvironment : nil
    }
}

/// The option for the agent's socket.
struct SocketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The agent's socket, in a private directory. (default: $TESSERA_AGENT_SOCK, or agent.sock in "
                + "$XDG_RUNTIME_DIR/tessera)",
            valueName: "path"
        ),
        completion: .file()
    )
    var socket: String?

    var location: AgentLocation { self.socket.map { AgentLocation(socket: $0) } ?? .fromEnvironment ?? .currentUser }
}
