// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Writes a method: its request, and the function that makes a call of it.
struct RequestWriter {
    struct Parameter {
        let parameter: DiscoveryMethod.Parameter
        let name: String
        let type: SwiftType
    }

    let generator: APIGenerator
    let method: DiscoveryMethod
    /// The type that it is declared in, such as `DriveV3.FilesResource`.
    let parent: String
    /// Such as `List`.
    let name: String
    let parameters: [Parameter]
    let body: SwiftType?
    let response: SwiftType?
    let paging: Paging?
    private let scope: TypeScope
    /// The types that are declared within the request.
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
        let place = (self.parent + "." + self.name).split(separator: ".").dropFirst().joined(separator: ".")
        return GeneratedFile(path: "Resources/\(place).swift", text: heading.text + body.text)
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
        source.document(["`\(self.method.id)` as a value.", text.withFullStop])
        self.deprecation(&source)
        source.block("public struct \(SwiftName.declared(self.name)): \(self.conformances) {") { source in
            source.documentLine("What comes back.")
            source.line("public typealias Response = \(self.response?.text ?? "NoContent")")
            source.line()
            source.documentLine("Parameters and body.")
            source.line("public var arguments = APIArguments()")
            self.initializer(&source)
            self.facts(&source)
            if let body {
                source.line()
                source.documentLine("What is sent.")
                source.line(Emission.inClients)
                source.block("public var body: \(body.text)? {") { source in
                    source.line("get { self.arguments.body.flatMap { \(body.text)($0) } }")
                    source.line("set { self.arguments.body = newValue?.node }")
                }
            }
            for parameter in self.parameters { self.property(parameter, &source) }
            NestedWriter(self.generator).write(self.scope, &source)
        }
    }

    private func facts(_ source: inout SourceText) {
        source.line()
        source.documentLine("The method.")
        source.block("public static var method: APIMethod {") { source in
            source.block("APIMethod(", closing: ")") { source in
                var lines = [self.method.id, self.method.httpMethod, self.method.path].map(SwiftLiteral.quoted)
                if !self.method.scopes.isEmpty {
                    let scopes = self.method.scopes.map { "    " + SwiftLiteral.escaped($0) }.joined(separator: " \\\n")
                    lines.append("scopes: \"\"\"\n\(scopes)\n    \"\"\"")
                }
                if let version = self.method.apiVersion { lines.append("apiVersion: \(SwiftLiteral.quoted(version))") }
                for (place, line) in lines.enumerated() {
                    let parts = line.split(separator: "\n")
                    for (part, text) in parts.enumerated() {
                        source.line(text + (part == parts.count - 1 && place < lines.count - 1 ? "," : ""))
                    }
                }
            }
        }
        if let upload = self.method.upload {
            source.line()
            source.documentLine("Where uploads go.")
            source.line("public static var uploadPath: String { \(SwiftLiteral.quoted(upload.path)) }")
        }
        guard let paging else { return }
        source.line()
        source.documentLine("How a page names the next one.")
        source.line("public static var paging: APIPaging { \(paging.text) }")
        guard let items = paging.items else { return }
        source.line()
        source.documentLine("A page's items.")
        source.line("public static func items(in page: Response) -> [\(items.type)] { \(items.expression) }")
    }

    private func property(_ parameter: Parameter, _ source: inout SourceText) {
        source.line()
        let text = self.generator.prose.text(parameter.parameter.schema.description)
        source.document([text.isEmpty ? "`\(parameter.parameter.name)`" : text.withFullStop])
        if parameter.parameter.schema.isDeprecated {
            source.line(self.generator.prose.deprecation(parameter.parameter.schema.description))
        }
        source.line(Emission.inClients)
        source.block("public var \(SwiftName.declared(parameter.name)): \(parameter.type.text)? {") { source in
            let name = SwiftLiteral.quoted(parameter.parameter.name)
            source.line("get { self.arguments.parameters[\(parameter.type.label): \(name)] }")
            source.line("set { self.arguments.parameters[\(parameter.type.label): \(name)] = newValue }")
        }
    }
}
