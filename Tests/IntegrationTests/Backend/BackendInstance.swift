// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && PostgreSQL
internal import Foundation
internal import TestPrograms

/// A running `backend` process from `Examples/`.
final class BackendInstance: Sendable {
    let origin: String
    private let program: ChildProgram

    /// Starts the process and returns when it is listening.
    init(port: UInt16, environment: [String: String]) async throws {
        self.origin = "http://127.0.0.1:\(port)"
        var environment = environment
        environment["HTTP_PORT"] = "\(port)"
        environment["PATH"] = ProcessInfo.processInfo.environment["PATH"]
        environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
        self.program = try ChildProgram([ExamplePrograms.path("backend")], environment: environment, readsErrors: true)
        guard await self.program.errors.line(where: { $0.contains("listening") }) != nil else {
            throw BackendInstanceError(status: await self.program.exitStatus, log: await self.program.errors.lines())
        }
    }

    /// Sends SIGTERM and returns the log and the exit status.
    func terminate() async -> (log: [String], status: Int32) {
        await self.program.terminate()
        return (await self.program.errors.lines(), await self.program.exitStatus)
    }

    /// Kills the process.
    func kill() async { await self.program.kill() }
}

/// The backend ended before it was listening.
struct BackendInstanceError: Error {
    var status: Int32
    var log: [String]
}
#endif
