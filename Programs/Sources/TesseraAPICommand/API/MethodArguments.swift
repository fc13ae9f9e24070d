// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraAPIGenerator
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON

/// A method's parameters and body, as specified on the command line.
struct MethodArguments {
    private let method: DiscoveryMethod
    private var values: [String: [String]] = [:]
    private var body: JSONNode?
    private static let limit = 64 << 20

    init(_ method: DiscoveryMethod) { self.method = method }

    /// Reads parameters in the form `--page-size 10 --q=…`.
    mutating func read(_ words: [String]) throws {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word.count > 2 else {
                throw CommandError.usage(
                    "\(word): a parameter is written as --name VALUE",
                    self.advice
                )
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let parameter = try self.parameter(String(parts[0]))
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw CommandError.usage("--\(ParameterName.option(parameter.name)) needs a value", self.advice)
            }
            try self.add(value, to: parameter)
        }
    }

    /// Reads a parameter in the form `pageSize=10`.
    mutating func read(pair: String) throws {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw CommandError.usage("--param: write the parameter as NAME=VALUE", self.advice)
        }
        try self.add(parts[1], to: try self.parameter(parts[0]))
    }

    /// Reads the body as JSON, from `@FILE`, or from standard input for `-`.
    mutating func read(body text: String?) async throws {
        guard let text else { return }
        guard self.method.request != nil else {
            throw CommandError.usage("--body: \(self.method.id) does not accept a body", self.advice)
        }
        let bytes: [UInt8]
        if text == "-" || text == "@-" {
            bytes = try await FileBytes.standardInput(option: "--body", limit: Self.limit)
        } else if text.hasPrefix("@") {
            bytes = try await FileBytes.read(String(text.dropFirst()), option: "--body", limit: Self.limit)
        } else {
            bytes = Array(text.utf8)
        }
        do {
            self.body = .parsed(try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: Self.limit)))
        } catch {
            throw CommandError.usage(
                "--body: not JSON: \(error.explanation(of: bytes))",
                "Write {\"name\": …}, @FILE, or - for standard input."
            )
        }
    }

    /// Throws if a required parameter is missing.
    func check() throws {
        let missing = self.method.parameters.filter { ($0.isRequired || $0.isInPath) && self.values[$0.name] == nil }
        guard missing.isEmpty else {
            let names = missing.map { "--" + ParameterName.option($0.name) }.joined(separator: " and ")
            throw CommandError.usage("\(self.method.id) needs \(names)", self.advice)
        }
    }

    var arguments: APIArguments {
        var arguments = APIArguments()
        for parameter in self.method.parameters {
            guard let values = self.values[parameter.name] else { continue }
            arguments.parameters.set(parameter.name, .array(values.map { .string($0) }))
        }
        arguments.body = self.body
        return arguments
    }

    private mutating func add(_ value: String, to parameter: DiscoveryMethod.Parameter) throws {
        let option = "--" + ParameterName.option(parameter.name)
        if case .scalar(let type, _) = parameter.schema.kind {
            if type == "boolean", !["true", "false"].contains(value) {
                throw CommandError.usage("\(option) must be true or false", self.advice)
            }
            if type == "integer", Int64(value) == nil {
                throw CommandError.usage("\(option) must be a whole number", self.advice)
            }
        }
        guard parameter.isRepeated || self.values[parameter.name] == nil else {
            throw CommandError.usage("\(option) is specified twice", "Remove one of them.")
        }
        self.values[parameter.name, default: []].append(value)
    }

    private func parameter(_ name: String) throws -> DiscoveryMethod.Parameter {
        let all = self.method.parameters
        if let found = all.first(where: { $0.name == name })
            ?? all.first(where: { ParameterName.isMeant($0.name, by: name) })
        {
            return found
        }
        let nearest = NearestNames(to: "--" + name, among: all.map { "--" + ParameterName.option($0.name) })
        throw CommandError.usage(
            "\(self.method.id) has no parameter --\(name)",
            nearest.question + self.advice
        )
    }

    private var advice: String { "See 'tessera api \(self.method.id) --help'." }
}
