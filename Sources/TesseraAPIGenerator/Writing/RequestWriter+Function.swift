// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension RequestWriter {
    /// What has to be given, in the order of the documents.
    var required: [Parameter] { self.parameters.filter(\.parameter.isRequired) }

    /// A method that uploads can do without a body; any other sends one.
    private var bodyParameter: String? {
        guard let body else { return nil }
        return self.method.upload == nil ? "_ body: \(body.text)" : "_ body: \(body.text)? = nil"
    }

    /// The initializer of the request, with what has to be given.
    func initializer(_ source: inout SourceText) {
        let declarations = [self.bodyParameter].compactMap { $0 } + self.required.map(self.declaration)
        source.line()
        source.documentLine("A request with what has to be given.")
        source.line(Emission.inClients)
        guard !declarations.isEmpty else {
            source.line("public init() {}")
            return
        }
        source.block(Self.signature("public init", declarations, " {")) { source in
            if self.body != nil { source.line("self.body = body") }
            for parameter in self.required { source.line(self.assignment(parameter, of: "self")) }
        }
    }

    /// The function of the resource that makes a call.
    func function(_ source: inout SourceText) {
        let text = self.generator.prose.text(self.method.description)
        source.document([
            text.isEmpty ? "`\(self.method.id)`" : text.withFullStop,
            text.isEmpty ? "" : "`\(self.method.id)`",
            self.reference,
        ])
        self.documentParameters(&source)
        let optional = self.parameters.filter { !$0.parameter.isRequired }
        let declarations =
            [self.bodyParameter].compactMap { $0 } + self.required.map(self.declaration)
            + optional.map { self.declaration($0) + "? = nil" }
        self.deprecation(&source)
        let name = SwiftName.declared(SwiftName.member(self.method.name, of: .resource))
        let type = SwiftName.declared(self.name)
        source.line(Emission.inClients)
        source.block(Self.signature("public func \(name)", declarations, " -> APICall<\(type)> {")) { source in
            let given =
                (self.body == nil ? [] : ["body"])
                + self.required.map { "\($0.name): \(SwiftName.declared($0.name))" }
            let keyword = optional.isEmpty ? "let" : "var"
            source.line("\(keyword) request = \(type)(\(given.joined(separator: ", ")))")
            for parameter in optional { source.line(self.assignment(parameter, of: "request")) }
            source.line("return APICall(request, self.service)")
        }
    }

    /// Sets a parameter of a request.
    ///
    /// The property of a deprecated one is not used, since that is a warning.
    private func assignment(_ parameter: Parameter, of request: String) -> String {
        let value = SwiftName.declared(parameter.name)
        guard parameter.parameter.schema.isDeprecated else {
            return "\(request).\(SwiftName.used(parameter.name)) = \(value)"
        }
        let name = SwiftLiteral.quoted(parameter.parameter.name)
        return "\(request).arguments.parameters[\(parameter.type.label): \(name)] = \(value)"
    }

    /// The attribute of a deprecated method.
    func deprecation(_ source: inout SourceText) {
        if self.method.isDeprecated { source.line(self.generator.prose.deprecation(self.method.description)) }
    }

    private func documentParameters(_ source: inout SourceText) {
        var items = self.body == nil ? [] : ["body: what is sent."]
        for parameter in self.required + self.parameters.filter({ !$0.parameter.isRequired }) {
            let text = self.generator.prose.text(parameter.parameter.schema.description)
            let fallback = parameter.parameter.defaultValue.map { " By default `\($0)`." } ?? ""
            items.append(
                parameter.name + ": " + (text.isEmpty ? "see the reference." : text.withFullStop)
                    + Self.bounds(parameter.parameter.schema) + fallback
            )
        }
        source.documentList("- Parameters:", items)
        if !self.method.scopes.isEmpty {
            let scopes = self.method.scopes.map { "`\($0)`" }.joined(separator: ", ")
            source.documentList(nil, ["Requires: any one of the scopes \(scopes)."])
        }
    }

    private static func bounds(_ schema: DiscoverySchema) -> String {
        switch schema.bounds {
        case (nil, nil): ""
        case (let minimum?, nil): " At least \(minimum)."
        case (nil, let maximum?): " At most \(maximum)."
        case (let minimum?, let maximum?): " \(minimum) to \(maximum)."
        }
    }

    /// Where Google documents the API.
    private var reference: String {
        guard let link = self.generator.document.documentationLink else { return "" }
        return "See [the API's documentation](\(link))."
    }

    private func declaration(_ parameter: Parameter) -> String {
        let type = self.generator.qualified(parameter.type.text, in: self.name, nested: self.nestedNames)
        return "\(SwiftName.declared(parameter.name)): \(type)"
    }

    /// One line where it fits, else a line for each parameter.
    private static func signature(_ start: String, _ declarations: [String], _ end: String) -> String {
        let line = start + "(" + declarations.joined(separator: ", ") + ")" + end
        guard line.count > 110 else { return line }
        return start + "(\n        " + declarations.joined(separator: ",\n        ") + "\n    )" + end
    }
}
