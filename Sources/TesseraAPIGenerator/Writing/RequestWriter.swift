// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Writes a method's request type and the function that creates a call.
struct RequestWriter {
    struct Parameter {
        let parameter: DiscoveryMethod.Parameter
        let name: String
        let type: SwiftType
    }

    let generator: APIGenerator
    let method: DiscoveryMethod
    /// The type in which the request is declared, such as `DriveV3.FilesResource`.
    let parent: String
    /// The name of the request type, such as `List`.
    let name: String
    let parameters: [Parameter]
    let body: SwiftType?
    let response: SwiftType?
    let paging: Paging?
    private let scope: TypeScope
    /// The names of the request's nested types.
    var nestedNames: Set<String> { Set(self.scope.nested.map(\.name)) }

    init(
        _ generator: APIGenerator,
        _ method: DiscoveryMethod,
        _ parent: String,
        _ name: String,
        resource: String
    ) {
        self.generator = generator
        self.method = method
        self.parent = parent
        self.name = name
        var scope = TypeScope(generator, "\(parent).\(name)", taken: ["Response", "Item"])
        var names = UniqueNames()
        self.parameters = method.parameters.map { parameter in
            let type = scope.type(of: parameter.schema, named: parameter.name)
            return Parameter(
                parameter: parameter,
                name: names.take(SwiftName.member(parameter.name, of: .request), for: parameter.name),
                type: parameter.isRepeated ? type.list : type
            )
        }
        self.body = method.request.map { scope.type(of: $0, named: "Body") }
        self.response = method.response.map { scope.type(of: $0, named: "Answer") }
        self.scope = scope
        self.paging = Paging(generator, method, resource: resource)
    }

    func file() -> GeneratedFile {
        var body = SourceText()
        body.block("extension \(self.parent) {") { source in
            self.request(&source)
            source.line()
            self.function(&source)
        }
        let heading = self.generator.heading(importing: Imports.of(body.text))
        let location = (self.parent + "." + self.name).split(separator: ".").dropFirst().joined(separator: ".")
        return GeneratedFile(path: "Resources/\(location).swift", text: heading.text + body.text)
    }

    private var conformances: String {
        var protocols = [
            self.paging == nil ? "APIRequest" : self.paging?.items == nil ? "PagedRequest" : "ItemizedRequest"
        ]
        if let upload = self.method.upload {
            protocols.append(upload.isResumable ? "ResumableUploadRequest" : "MediaUploadRequest")
        }
        if self.method.hasMediaDownload { protocols.append("MediaDownloadRequest") }
        return protocols.joined(separator: ", ")
    }

    private func request(_ source: inout SourceText) {
        let text = self.generator.prose.text(self.method.description)
        source.document(["A request for the `\(self.method.id)` method.", text.withFullStop])
        self.deprecation(&source)
        source.block("public struct \(SwiftName.declared(self.name)): \(self.conformances) {") { source in
            let response = self.response?.text ?? "NoContent"
            source.declare("The type of the response.", "public typealias Response = \(response)", isFirst: true)
            source.declare("The parameters and body of the request.", "public var arguments = APIArguments()")
            self.initializer(&source)
            self.facts(&source)
            if let body {
                source.declare("The request body.", Emission.inClients)
                source.block("public var body: \(body.text)? {") { source in
                    source.line("get { self.arguments.body.flatMap { \(body.text)($0) } }")
                    source.line("set { self.arguments.body = newValue?.node }")
                }
            }
            for parameter in self.parameters {
                let property = DiscoverySchema.Property(
                    name: parameter.parameter.name,
                    schema: parameter.parameter.schema
                )
                self.generator.property(
                    parameter.name,
                    parameter.type,
                    of: "self.arguments.parameters",
                    property,
                    &source
                )
            }
            self.generator.nested(self.scope, &source)
        }
    }

    private func facts(_ source: inout SourceText) {
        source.line()
        source.documentLine("The method of the API.")
        source.block("public static var method: APIMethod {") { source in
            source.block("APIMethod(", closing: ")") { source in
                var lines = [self.method.id, self.method.httpMethod, self.method.path].map(SwiftLiteral.quoted)
                if !self.method.scopes.isEmpty {
                    let scopes = self.method.scopes.map { "    " + SwiftLiteral.escaped($0) }.joined(separator: " \\\n")
                    lines.append("scopes: \"\"\"\n\(scopes)\n    \"\"\"")
                }
                if let version = self.method.apiVersion { lines.append("apiVersion: \(SwiftLiteral.quoted(version))") }
                for (location, line) in lines.enumerated() {
                    let parts = line.split(separator: "\n")
                    for (part, text) in parts.enumerated() {
                        source.line(text + (part == parts.count - 1 && location < lines.count - 1 ? "," : ""))
                    }
                }
            }
        }
        if let upload = self.method.upload {
            let path = SwiftLiteral.quoted(upload.path)
            source.declare("The path for uploads.", "public static var uploadPath: String { \(path) }")
        }
        guard let paging else { return }
        source.declare("The names of the page tokens.", "public static var paging: APIPaging { \(paging.text) }")
        guard let items = paging.items else { return }
        let function = "public static func items(in page: Response) -> [\(items.type)] { \(items.expression) }"
        source.declare("Returns the items of a page.", function)
    }

    // MARK: The function

    /// The required parameters in the order in which the document lists them.
    var required: [Parameter] { self.parameters.filter(\.parameter.isRequired) }

    /// The declaration of the body parameter, which is optional for a method that can upload a file.
    private var bodyParameter: String? {
        guard let body else { return nil }
        return self.method.upload == nil ? "_ body: \(body.text)" : "_ body: \(body.text)? = nil"
    }

    /// Writes the request's initializer, which takes the required parameters.
    func initializer(_ source: inout SourceText) {
        let declarations = [self.bodyParameter].compactMap { $0 } + self.required.map(self.declaration)
        source.declare("Creates a request with its required parameters.", Emission.inClients)
        guard !declarations.isEmpty else {
            source.line("public init() {}")
            return
        }
        source.block(Self.signature("public init", declarations, " {")) { source in
            if self.body != nil { source.line("self.body = body") }
            for parameter in self.required { source.line(self.assignment(parameter, of: "self")) }
        }
    }

    /// Writes the resource's function that creates a call.
    func function(_ source: inout SourceText) {
        let text = self.generator.prose.text(self.method.description)
        source.document([text.withFullStop, "`\(self.method.id)`", self.reference])
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

    /// Returns the statement that sets a request's parameter.
    ///
    /// A deprecated parameter is not set through its property, which would cause a warning.
    private func assignment(_ parameter: Parameter, of request: String) -> String {
        let value = SwiftName.declared(parameter.name)
        guard parameter.parameter.schema.isDeprecated else {
            return "\(request).\(SwiftName.used(parameter.name)) = \(value)"
        }
        let name = SwiftLiteral.quoted(parameter.parameter.name)
        return "\(request).arguments.parameters[\(parameter.type.label): \(name)] = \(value)"
    }

    /// Writes the attribute for a deprecated method.
    func deprecation(_ source: inout SourceText) {
        if self.method.isDeprecated { source.line(self.generator.prose.deprecation(self.method.description)) }
    }

    private func documentParameters(_ source: inout SourceText) {
        var items = self.body == nil ? [] : ["body: The request body."]
        for parameter in self.required + self.parameters.filter({ !$0.parameter.isRequired }) {
            let text = self.generator.prose.text(parameter.parameter.schema.description)
            let fallback = parameter.parameter.defaultValue.map { " The default is `\($0)`." } ?? ""
            items.append(
                parameter.name + ": " + (text.isEmpty ? "See the API's documentation." : text.withFullStop)
                    + Self.bounds(parameter.parameter.schema) + fallback
            )
        }
        source.documentList("- Parameters:", items)
        if !self.method.scopes.isEmpty {
            let scopes = self.method.scopes.map { "`\($0)`" }.joined(separator: ", ")
            source.documentList(nil, ["Requires: One of the scopes \(scopes)."])
        }
    }

    private static func bounds(_ schema: DiscoverySchema) -> String {
        switch schema.bounds {
        case (nil, nil): ""
        case (let minimum?, nil): " At least \(minimum)."
        case (nil, let maximum?): " At most \(maximum)."
        case (let minimum?, let maximum?): " From \(minimum) to \(maximum)."
        }
    }

    /// A link to Google's documentation for the API.
    private var reference: String {
        guard let link = self.generator.document.documentationLink else { return "" }
        return "See [the API's documentation](\(link))."
    }

    private func declaration(_ parameter: Parameter) -> String {
        let type = self.generator.qualified(parameter.type.text, in: self.name, nested: self.nestedNames)
        return "\(SwiftName.declared(parameter.name)): \(type)"
    }

    /// Returns a signature on a single line if it is short enough, or with one line for each parameter.
    private static func signature(_ start: String, _ declarations: [String], _ end: String) -> String {
        let line = start + "(" + declarations.joined(separator: ", ") + ")" + end
        guard line.count > 110 else { return line }
        return start + "(\n        " + declarations.joined(separator: ",\n        ") + "\n    )" + end
    }
}
