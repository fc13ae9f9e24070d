// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator
internal import TesseraSupport

/// What the command line says.
struct Arguments {
    static let help = """
        Makes a Swift module of a Google API's discovery document.

        google-api-generator SOURCE… [--output FOLDER] [--include METHODS] [--docs LEVEL] [--namespace NAME]
        [--tests FOLDER] [--strict]

        SOURCE        a file, or an API and its version, such as drive.v3, which is fetched from Google
        --output      the folder in which the module gets one of its own; without it only counts are printed
        --include     methods with commas between them, with a star at the end for all that begin so:
                      files.list,files.get,permissions.*; what none of them needs is left out
        --docs        none, short (the first sentences of Google's descriptions) or full
        --namespace   the name of the client; by default that of the API and its version, such as DriveV3
        --tests       a folder for code that uses all that is generated, for tests of it
        --strict      a document with keys that nobody here knows is an error

        Generating code from a document means trusting it. A document cannot add statements of its own to the code, but
        it decides which server the code calls, and that server receives your users' access tokens.
        """

    var sources: [String] = []
    var output: String?
    var tests: String?
    var options = GeneratorOptions()
    var isStrict = false
    var wantsHelp = false

    init(_ words: some Sequence<String>) throws {
        var words = Array(words)[...]
        while let word = words.popFirst() {
            func value() throws -> String {
                guard let value = words.popFirst() else {
                    throw ToolError.usage("\(word.printable(limit: 200)) needs a value")
                }
                return value
            }
            switch word {
            case "--help", "-h": self.wantsHelp = true
            case "--output", "-o": self.output = try value()
            case "--tests": self.tests = try value()
            case "--include": self.options.included += try value().split(separator: ",").map(String.init)
            case "--namespace": self.options.namespace = try value()
            case "--strict": self.isStrict = true
            case "--docs":
                let level = try value()
                guard let documentation = GeneratorOptions.Documentation(rawValue: level) else {
                    throw ToolError.usage(
                        "--docs must be none, short or full, but it is \(level.printable(limit: 200))"
                    )
                }
                self.options.documentation = documentation
            case _ where word.hasPrefix("-"): throw ToolError.usage("There is no option \(word.printable(limit: 200))")
            default: self.sources.append(word)
            }
        }
        guard !self.sources.isEmpty || self.wantsHelp else { throw ToolError.usage("No document is named") }
    }
}
