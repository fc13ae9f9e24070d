// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraAgent
internal import TesseraUserAgents

/// An agent that is started and left to itself.
struct BackgroundAgent {
    let place: AgentPlace

    /// How the agent stands that runs, or that is started now.
    ///
    /// - Parameter options: those of `tessera agent start`.
    /// - Returns: what it says of itself.
    /// - Throws: what keeps it from being asked; a ``CommandError`` where it does not start.
    func status(starting options: [String]) async throws -> AgentStatus {
        let client = AgentClient(self.place, timeout: .seconds(5))
        do {
            return try await client.status()
        } catch AgentError.Code.notRunning {
            let place = self.place
            try await FileBytes.blocking { try place.prepare() }
            let end = try self.start(options)
            for _ in 0..<500 {
                try await ContinuousClock().sleep(for: .milliseconds(20))
                if let status = try? await client.status() { return status }
                if let status = end.value {
                    throw Self.failed("it ended with exit code \(status)", ExitStatus(rawValue: status) ?? .unexpected)
                }
            }
            throw Self.failed("it does not answer")
        }
    }

    /// Starts it; what it returns holds its exit status once it has ended.
    private func start(_ options: [String]) throws -> EndStatus {
        guard let program = SiblingProgram.own else { throw Self.failed("this program does not know its own file") }
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

    /// The exit status of a program that may still run.
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
