// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import ArgumentParser
internal import Tessera

/// The entry point of a program, which handles arguments, signals and errors.
package enum CommandLineProgram {
    /// Parses the process's arguments, runs the command and exits.
    package static func main(_ root: any ParsableCommand.Type) -> Never {
        // Block signals before starting any other thread, because threads inherit the signal mask.
        Interruption.block()
        let command: any ParsableCommand
        do {
            command = try root.parseAsRoot()
        } catch {
            UsageReport(error, of: root).exit()
        }
        Self.run(command, of: root)
    }

    /// Runs an operation of a program instead of parsing the process's arguments, and exits.
    package static func run(
        of root: any ParsableCommand.Type,
        _ operation: @escaping @Sendable () async throws -> Void
    ) -> Never {
        Interruption.block()
        Self.checkDescriptorLimit(of: root)
        let work = Task {
            do { try await operation() } catch { Self.fail(error, of: root) }
            Self.end(of: root)
        }
        Interruption.wait { work.cancel() }
    }

    /// Runs a command in a task that is canceled by the first signal.
    private static func run(_ command: sending any ParsableCommand, of root: any ParsableCommand.Type) -> Never {
        guard let command = command as? any AsyncParsableCommand else { Self.runBlocking(command, of: root) }
        Self.checkDescriptorLimit(of: root)
        let work = Task {
            var command = command
            do { try await command.run() } catch { Self.fail(error, of: root) }
            Self.end(of: root)
        }
        Interruption.wait { work.cancel() }
    }

    private static func checkDescriptorLimit(of root: any ParsableCommand.Type) {
        guard let (limit, minimum) = DescriptorLimit.shortage else { return }
        Self.fail(
            CommandError.usage(
                "Could not start: the limit on open files is \(limit), and at least \(minimum) are needed",
                "Raise the limit with 'ulimit -n \(max(minimum, 256))'."
            ),
            of: root
        )
    }

    /// Runs help commands and commands that replace this process.
    private static func runBlocking(_ command: any ParsableCommand, of root: any ParsableCommand.Type) -> Never {
        Interruption.release()
        do {
            var command = command
            try command.run()
            Self.end(of: root)
        } catch {
            Self.fail(error, of: root)
        }
    }

    /// Exits after a command that succeeded, unless its output could not be written.
    package static func end(of root: any ParsableCommand.Type) -> Never {
        if let error = Console.outputError { Self.fail(error, of: root) }
        exit(ExitStatus.success.rawValue)
    }

    /// Whether an interruption causes such an error.
    ///
    /// Other errors are more important than the interruption, for example that a refreshed token could not be saved.
    private static func isCausedByInterruption(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is TransportError: true
        case let error as SignInError: error.code == .canceled
        // The prompt for the passphrase was interrupted.
        case let error as StoreError: error.code == .wrongPassphrase
        default: false
        }
    }

    /// Reports an error and exits with its code.
    package static func fail(_ error: any Error, of root: any ParsableCommand.Type) -> Never {
        if error is PipeClosed { PipeClosed.end() }
        if let code = error as? ExitCode { exit(code.rawValue) }
        if UsageReport.isForParser(error, of: root) { UsageReport(error, of: root).exit() }
        let isInterrupted = Interruption.happened && Self.isCausedByInterruption(error)
        let report = ErrorReport(isInterrupted ? CancellationError() : error)
        Console.note(report.text)
        if OutputOptions.isJSONWanted { Console.print(json: report.json) }
        exit(report.status.rawValue)
    }
}
