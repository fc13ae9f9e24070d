// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser

/// A subcommand that another executable implements with the same arguments.
protocol SiblingCommand: ParsableCommand {
    static var sibling: SiblingProgram { get }
    var arguments: [String] { get }
}

extension SiblingCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: self.sibling.command,
            abstract: self.sibling.abstract,
            discussion: self.sibling.discussion
        )
    }

    func run() throws {
        try SiblingProgram.become(Self.sibling.name, Self.sibling.selection + self.arguments)
    }
}

struct APICommand: SiblingCommand {
    static let sibling = SiblingProgram.api
    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-api.") var arguments: [String] = []
}

struct DriveCommand: SiblingCommand {
    static let sibling = SiblingProgram.drive
    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-api.") var arguments: [String] = []
}

struct GmailCommand: SiblingCommand {
    static let sibling = SiblingProgram.gmail
    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-api.") var arguments: [String] = []
}

struct CalendarCommand: SiblingCommand {
    static let sibling = SiblingProgram.calendar
    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-api.") var arguments: [String] = []
}

struct StorageCommand: SiblingCommand {
    static let sibling = SiblingProgram.storage
    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-api.") var arguments: [String] = []
}

struct ProviderCommand: SiblingCommand {
    static let sibling = SiblingProgram.provider
    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-provider.") var arguments: [String] = []
}

struct DemoCommand: SiblingCommand {
    static let sibling = SiblingProgram.demo
    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-provider demo.")
    var arguments: [String] = []
}

struct GenerateCommand: SiblingCommand {
    static let sibling = SiblingProgram.generator
    @Argument(parsing: .captureForPassthrough, help: "The arguments of google-api-generator.") var arguments: [String] =
        []
}
