// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import ArgumentParser
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

@main
enum Main {
    static func main() async {
        Interruption.begin()
        let command: any ParsableCommand
        do {
            command = try TesseraCommand.parseAsRoot()
        } catch {
            UsageReport(error).exit()
        }
        do {
            try await Self.run(command)
            exit(ExitStatus.success.rawValue)
        } catch {
            Self.fail(error)
        }
    }

    /// Runs a command in a task that the first SIGINT cancels.
    private static func run(_ command: sending any ParsableCommand) async throws {
        guard let command = command as? any AsyncParsableCommand else {
            var command = command
            Interruption.release()
            return try command.run()
        }
        let work = Task {
            var command = command
            try await command.run()
        }
        Interruption.watch { work.cancel() }
        try await work.value
    }

    private static func fail(_ error: any Error) -> Never {
        if let code = error as? ExitCode { exit(code.rawValue) }
        if UsageReport.isForParser(error) { UsageReport(error).exit() }
        let report = ErrorReport(Interruption.received == nil ? error : CancellationError())
        Console.note(report.text)
        if CommandLine.arguments.contains("--json") { Console.print(report.json) }
        exit(report.status.rawValue)
    }
}
#else
@main
enum Main {
    static func main() {
        print("tessera needs the package trait CommandLine.")
        print("Build it with: swift build --traits AsyncHTTPClient,CommandLine --product tessera")
    }
}
#endif
