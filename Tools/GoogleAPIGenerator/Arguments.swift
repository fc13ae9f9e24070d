// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator
internal import TesseraSupport

/// The command-line arguments.
///
/// They are parsed without swift-argument-parser, which every package that depends on Tessera would have to resolve.
struct Arguments {
    static let help = """
        Generates a Swift module from a Google API's discovery document.

        google-api-generator SOURCE… [--output FOLDER] [--include METHODS] [--docs LEVEL] [--namespace NAME]
        [--tests FOLDER] [--strict]

        SOURCE        A file, or an API and its version, such as drive.v3, which is fetched from Google
        --output      Write the module to a subfolder of this folder (default: only print counts)
        --include     Generate only these methods and the types that they need. Separate methods with commas, and use a
                      trailing * for all methods with a prefix: files.list,files.get,permissions.*
        --docs        The level of documentation: none, short (the first sentences of Google's descriptions) or full
        --namespace   The name of the client (default: the API and its version, such as DriveV3)
        --tests       Write code that uses all generated declarations to this folder, for tests
        --strict      Reject a document with unknown keys

        Generating code from a document means trusting it. A document cannot add its own statements to the code, but it
        decides which server the code calls, and that server receives your users' access tokens.
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
            case _ where word.hasPrefix("-"): throw ToolError.usage("Unknown option \(word.printable(limit: 200))")
            default: self.sources.append(word)
            }
        }
        guard !self.sources.isEmpty || self.wantsHelp else { throw ToolError.usage("No document was specified") }
    }
}
