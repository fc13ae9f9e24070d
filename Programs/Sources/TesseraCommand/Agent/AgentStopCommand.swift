// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import TesseraAgent
internal import TesseraJSON

/// `tessera agent stop`.
struct AgentStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stops the agent; it saves what it began first.",
        discussion: """
            Examples:
              tessera agent stop
            """
    )

    @OptionGroup var socket: SocketOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let place = self.socket.place
        try await AgentClient(place, timeout: .seconds(30)).stop()
        self.output.result(["socket": .string(place.socket), "stopped": true], "The agent stops.")
    }
}
