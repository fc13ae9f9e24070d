// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraAPIGenerator
internal import TesseraCommand
internal import TesseraGoogleAPI
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
        let paging = self.method.pageToken(in: self.document).map { APIPaging($0.name, isInBody: $0.isInBody) }
        var pages = try self.pages(paging, isAll)
        var fields = self.fields
        if isAll, let paging { fields = fields.map { paging.completed(FieldSelection($0)).text } }
        while let page = try await pages.next({ [fields] in try await self.answer(service, $0, fields) }) {
            if isTable {
                table.add(page)
            } else {
                try await output.write(Console.line(json: page))
            }
        }
        if isTable, !table.isEmpty { try await output.write(Console.line(table.text)) }
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
        parameters: [(String, String)] = [],
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
        return try service.message(
            for: method,
            arguments,
            uploadPath: uploadPath,
            parameters: selection + parameters
        )
    }

    private func pages(_ paging: APIPaging?, _ isAll: Bool) throws -> PageWalk {
        guard isAll, paging == nil else { return PageWalk(self.arguments, isAll ? paging : nil) }
        throw CommandError.usage("--all: \(self.method.id) has no pages", "Leave it out.")
    }

    /// What a call answers; nil for nothing.
    private func answer(_ service: APIService, _ arguments: APIArguments, _ fields: String?) async throws -> JSONNode? {
        try await service.json(for: try self.message(service, arguments, asking: fields))
    }
}
