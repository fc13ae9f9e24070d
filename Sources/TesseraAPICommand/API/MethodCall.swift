// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import Tessera
internal import TesseraAPIGenerator
internal import TesseraCommand
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJOSE
internal import TesseraJSON

/// A call of a method that a discovery document describes.
struct MethodCall: Sendable {
    let document: DiscoveryDocument
    let method: DiscoveryMethod
    let arguments: APIArguments
    let fields: String?
    let media: MediaOptions

    /// Makes the call, and prints what comes back.
    func run(_ connection: Connection, isAll: Bool, isTable: Bool) async throws {
        let service = self.service(connection)
        let output = try await OutputFile.open(nil)
        var table = ItemTable(resource: String(self.method.id.split(separator: ".").dropLast().last ?? ""))
        var pages = try self.pages(isAll)
        while let page = try await pages.next({ try await self.answer(service, $0, isAll: isAll) }) {
            if isTable {
                table.add(page)
            } else {
                try await output.write(Console.line(JSONNode(anew: page)))
            }
        }
        if isTable, !table.isEmpty { try await output.write(Array((table.text + "\n").utf8)) }
    }

    func service(_ connection: Connection) -> APIService {
        let endpoint = APIEndpoint(
            name: self.document.name,
            version: self.document.version,
            rootURL: self.document.rootURL,
            servicePath: self.document.servicePath,
            batchPath: self.document.batchPath,
            isDataWrapped: self.document.isDataWrapped
        )
        return APIService(endpoint, fetcher: connection.fetcher, settings: connection.settings)
    }

    /// The request, without a token.
    func message(
        _ service: APIService,
        _ arguments: APIArguments,
        uploadPath: String? = nil,
        query: [(String, String)] = [],
        asking fields: String? = nil
    ) throws -> APIMessage {
        let method = APIMethod(
            self.method.id,
            self.method.httpMethod,
            self.method.path,
            scopes: self.method.scopes.joined(separator: " "),
            apiVersion: self.method.apiVersion
        )
        let selection = (fields ?? self.fields).map { [("fields", $0)] } ?? []
        return try service.message(method, arguments, uploadPath: uploadPath, query: selection + query)
    }

    private func pages(_ isAll: Bool) throws -> PageWalk {
        let paging = MethodPaging(self.method, self.document)
        guard isAll, paging == nil else { return PageWalk(self.arguments, isAll ? paging : nil) }
        throw CommandError.usage("--all: \(self.method.id) has no pages", "Leave it out.")
    }

    /// What a call answers; nil for nothing.
    private func answer(_ service: APIService, _ arguments: APIArguments, isAll: Bool) async throws -> JSONValue? {
        var fields = self.fields.map { FieldSelection($0) }
        if isAll, let asked = fields, !asked.contains(MethodPaging.next) {
            fields = FieldSelection(MethodPaging.next) + asked
        }
        let message = try self.message(service, arguments, asking: fields?.text)
        let (_, body) = try await service.exchange(message, options: CallOptions())
        return try self.value(body)
    }

    /// An answer's JSON; nil for an empty one.
    func value(_ body: [UInt8]) throws -> JSONValue? {
        guard !body.isEmpty else { return nil }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: body, limits: JSONLimits(maximumBytes: 64 << 20))
        } catch {
            throw ProtocolViolation(
                .apiAnswer,
                expected: "JSON",
                actual: "\(error)",
                section: "the API's discovery document"
            )
        }
        return self.document.isDataWrapped ? value["data"] ?? value : value
    }
}
#endif
