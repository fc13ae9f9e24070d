// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import TesseraAgent

/// Whether to use the token agent.
struct AgentOptions: ParsableArguments {
    @Flag(
        help: "Use the token agent instead of a store. (default if $TESSERA_AGENT_SOCK is set and --store is not given)"
    )
    var agent = false

    /// The address of the agent to use, or nil to use a store.
    func place(besides store: StoreOptions) throws -> AgentPlace? {
        try Self.place(isAsked: self.agent, store: store.store)
    }

    /// Returns the address of the agent to use, from parsed options.
    static func place(isAsked: Bool, store: String?) throws -> AgentPlace? {
        if isAsked, store != nil {
            throw CommandError.usage("--agent and --store exclude each other", "Leave one of them out.")
        }
        if isAsked { return AgentPlace.ofEnvironment ?? .ofUser }
        return store == nil ? AgentPlace.ofEnvironment : nil
    }
}

/// Where the agent is.
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

    var place: AgentPlace { self.socket.map { AgentPlace(socket: $0) } ?? .ofEnvironment ?? .ofUser }
}
