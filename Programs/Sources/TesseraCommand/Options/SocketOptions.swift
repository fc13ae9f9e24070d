// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import TesseraAgent

/// Where the agent is.
struct SocketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The agent's socket, in a directory that is yours alone. (default: $TESSERA_AGENT_SOCK, else agent.sock in "
                + "$XDG_RUNTIME_DIR/tessera)",
            valueName: "path"
        ),
        completion: .file()
    )
    var socket: String?

    var place: AgentPlace { self.socket.map { AgentPlace(socket: $0) } ?? .ofEnvironment ?? .ofUser }
}
