// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
public import TesseraStores
package import ArgumentParser

/// The whole of a program `tessera`, whose executables differ in the stores that they are linked with.
public enum CommandLineProgram {
    /// Reads the process's arguments and does what they say; the process ends with it.
    ///
    /// - Parameter databases: The kinds of store that this program has beside those of every `tessera`. Where they are
    ///   named and are not here, the program `tessera-databases` takes this one's place.
    public static func main(databases: [StoreFactory] = []) -> Never {
        StoreKinds.$databases.withValue(databases) { Self.main() }
    }

    /// As ``main(databases:)``, with the commands of another executable than `tessera`.
    package static func main(_ root: any ParsableCommand.Type, databases: [StoreFactory] = []) -> Never {
        StoreKinds.$databases.withValue(databases) {
            Interruption.block()
            Self.parse(root)
        }
    }

    private static func main() -> Never {
        let arguments = CommandLine.arguments.dropFirst()
        // Where it is missing, this program goes on and says so if it comes to that store.
        if StoreKinds.needsDatabases(arguments) { try? SiblingProgram.become("tessera-databases", Array(arguments)) }
        do {
            if try PlainTokenCall(arguments)?.finish() == true { exit(ExitStatus.success.rawValue) }
        } catch {
            Self.fail(error)
        }
        // Before any other thread is there: each one inherits what is blocked.
        Interruption.block()
        Self.parse(TesseraCommand.self)
    }

    private static func parse(_ root: any ParsableCommand.Type) -> Never {
        let command: any ParsableCommand
        do {
            command = try root.parseAsRoot()
        } catch {
            UsageReport(error).exit()
        }
        Self.run(command)
    }

    /// Runs a command in a task, which the first signal cancels.
    private static func run(_ command: sending any ParsableCommand) -> Never {
        guard let command = command as? any AsyncParsableCommand else { Self.runAtOnce(command) }
        if let (limit, minimum) = DescriptorLimit.shortage {
            Self.fail(
                CommandError.usage(
                    "Could not start: at most \(limit) files may be open at once, and \(minimum) are needed",
                    "Raise the limit with 'ulimit -n \(max(minimum, 256))'."
                )
            )
        }
        let work = Task {
            var command = command
            do {
                try await command.run()
                exit(ExitStatus.success.rawValue)
            } catch {
                Self.fail(error)
            }
        }
        Interruption.wait { work.cancel() }
    }

    /// Help, and what becomes another program.
    private static func runAtOnce(_ command: any ParsableCommand) -> Never {
        Interruption.release()
        do {
            var command = command
            try command.run()
            exit(ExitStatus.success.rawValue)
        } catch {
            Self.fail(error)
        }
    }

    private static func fail(_ error: any Error) -> Never {
        if error is PipeClosed { PipeClosed.end() }
        if let code = error as? ExitCode { exit(code.rawValue) }
        if UsageReport.isForParser(error) { UsageReport(error).exit() }
        // A command that says itself what its interruption left is heard.
        let isTold = (error as? CommandError)?.status == .interrupted
        let report = ErrorReport(Interruption.happened && !isTold ? CancellationError() : error)
        Console.note(report.text)
        if OutputOptions.isJSONWanted { Console.print(json: report.json) }
        exit(report.status.rawValue)
    }
}
