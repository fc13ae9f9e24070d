// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraAPIGenerator
internal import TesseraCommand
internal import TesseraJSON
internal import TesseraOAuth

/// The help text for a method.
struct MethodHelp {
    private let method: DiscoveryMethod
    private let document: DiscoveryDocument

    init(_ method: DiscoveryMethod, _ document: DiscoveryDocument) {
        self.method = method
        self.document = document
    }

    var text: TerminalText {
        var sections: [TerminalText] = ["OVERVIEW: \(self.sentence(self.method.description))", "USAGE: \(self.usage)"]
        if self.method.isDeprecated { sections[0] = sections[0] + "\n\nThis method is deprecated." }
        if !self.method.parameters.isEmpty { sections.append("PARAMETERS:\n" + self.parameters) }
        if let abilities = self.abilities { sections.append("INPUT AND OUTPUT:\n\(abilities)") }
        if !self.method.scopes.isEmpty {
            let scopes = self.method.scopes.map { "  \($0)" as TerminalText }
            sections.append("ANY ONE OF THESE SCOPES:\n" + scopes.joined(separator: "\n"))
        }
        sections.append("Run 'tessera api --help' to show the options for all methods.")
        return sections.joined(separator: "\n\n")
    }

    private var usage: String {
        let needed = self.method.parameters.filter { $0.isRequired || $0.isInPath }
        let words = needed.map { "--\(ParameterName.option($0.name)) VALUE" }
        let hasMore = needed.count < self.method.parameters.count
        return (["tessera api", self.method.id] + words + (hasMore ? ["[PARAMETERS]"] : [])).joined(separator: " ")
    }

    private var parameters: TerminalText {
        var table = FieldTable()
        for parameter in self.method.parameters {
            var facts = [self.type(of: parameter)]
            if parameter.isRequired || parameter.isInPath { facts.append("required") }
            if parameter.isRepeated { facts.append("can be repeated") }
            if let value = parameter.defaultValue { facts.append("default: \(value)") }
            let sentence = self.sentence(parameter.schema.description)
            let lines = ["(" + facts.joined(separator: ", ") + ")"] + (sentence.isEmpty ? [] : [sentence])
            table.add("--" + ParameterName.option(parameter.name), lines)
        }
        return table.text
    }

    private var abilities: TerminalText? {
        var table = FieldTable()
        if case .reference(let name)? = self.method.request?.kind { table.add("--body", "JSON: \(name)") }
        if self.method.upload != nil { table.add("--upload", "upload a file") }
        if self.method.hasMediaDownload { table.add("--output", "save the contents to a file") }
        if self.method.pageToken(in: self.document) != nil { table.add("--all", "get all pages") }
        if case .reference(let name)? = self.method.response?.kind { table.add("answer", name) }
        return table.isEmpty ? nil : table.text
    }

    private func type(of parameter: DiscoveryMethod.Parameter) -> String {
        switch parameter.schema.kind {
        case .enumeration(let values):
            values.filter { !$0.isDeprecated }.map(\.text).joined(separator: "|")
        case .scalar("boolean", _): "true|false"
        case .scalar(let type, let format): format ?? type
        default: "text"
        }
    }

    private func sentence(_ text: String) -> String {
        UntrustedText.printable(DiscoveryDocument.summary(of: text), limit: 400)
    }
}

/// The methods of an API or of one of its resources.
struct MethodIndex {
    private let document: DiscoveryDocument
    private let methods: [DiscoveryMethod]

    init(_ document: DiscoveryDocument, _ name: MethodName) {
        self.document = document
        let prefix = name.text == name.api ? "" : name.text + "."
        self.methods = document.root.allMethods.filter { $0.id.hasPrefix(prefix) }.sorted { $0.id < $1.id }
    }

    var rows: ListRows {
        var rows = ListRows(["method": "METHOD", "httpMethod": nil, "description": "DESCRIPTION"])
        for method in self.methods {
            let sentence = DiscoveryDocument.summary(of: method.description)
            let shown = UntrustedText.printable(sentence, limit: 100)
            rows.add(
                .init(method.id),
                .init(method.httpMethod),
                .init(sentence, shown: method.isDeprecated ? "(deprecated) " + shown : shown)
            )
        }
        return rows
    }

    var json: JSONNode {
        let methods = self.methods.map { method -> JSONNode in
            [
                "method": .string(method.id), "httpMethod": .string(method.httpMethod),
                "description": .string(DiscoveryDocument.summary(of: method.description)),
                "isDeprecated": .bool(method.isDeprecated),
            ]
        }
        return ["methods": .array(methods)]
    }
}

/// Converts parameter names to command-line options.
enum ParameterName {
    /// Returns the option for a parameter, such as `page-size` for `pageSize` or `order-by-field` for `orderBy.field`.
    static func option(_ name: String) -> String {
        var option = ""
        for character in name where character != "$" {
            if character == "." || character == "_" {
                option += "-"
            } else if character.isUppercase {
                if let last = option.last, last != "-" { option += "-" }
                option += character.lowercased()
            } else {
                option.append(character)
            }
        }
        return option
    }

    /// Returns whether an option without its leading dashes, such as `page-size` or `pageSize`, refers to this
    /// parameter.
    static func isMeant(_ name: String, by option: String) -> Bool {
        name == option || Self.letters(name) == Self.letters(option)
    }

    private static func letters(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
}
