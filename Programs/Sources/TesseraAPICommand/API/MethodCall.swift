// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import HTTPTypes
internal import Tessera
internal import TesseraAPIGenerator
internal import TesseraCommand
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJSON

/// A call to a method that a discovery document describes.
struct MethodCall: Sendable {
    let document: DiscoveryDocument
    let method: DiscoveryMethod
    let arguments: APIArguments
    let fields: String?
    let media: MediaOptions

    /// Sends the request and prints the response.
    func run(_ connection: APIConnection, isAll: Bool, format: ListFormat) async throws {
        let service = self.service(connection)
        let output = try await OutputFile.open(nil)
        let paging = self.method.pageToken(in: self.document).map { APIPaging($0.name, isInBody: $0.isInBody) }
        let resource = String(self.method.id.split(separator: ".").dropLast().last ?? "")
        var table = ItemTable(resource: resource, hasPages: paging != nil)
        var pages = try self.pages(paging, isAll)
        var fields = self.fields
        if isAll, let paging { fields = fields.map { paging.completed(FieldSelection($0)).text } }
        while let page = try await pages.next({ [fields] in try await self.response(service, $0, fields) }) {
            if format == .json {
                try await output.write(Console.line(json: page))
            } else {
                table.add(page)
            }
        }
        guard !table.isEmpty else { return }
        switch format {
        case .json: break
        case .csv: try await output.write(table.rows.csv)
        case .tsv: try await output.write(table.rows.tsv)
        case .table: try await output.write(Console.line(table.text))
        }
    }

    func service(_ connection: APIConnection) -> APIService {
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

    /// Returns the request, without an access token.
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
        throw CommandError.usage("--all: \(self.method.id) does not return pages", "Remove --all.")
    }

    /// Returns the response to a call, or nil if it is empty.
    private func response(_ service: APIService, _ arguments: APIArguments, _ fields: String?) async throws -> JSONNode?
    {
        try await service.json(for: try self.message(service, arguments, asking: fields))
    }
}

extension MethodCall {
    /// Uploads a file with the call, or downloads one.
    func transfer(_ connection: APIConnection, output: OutputOptions) async throws {
        let service = self.service(connection)
        if let file = self.media.upload {
            let response = try await self.upload(file, service, connection)
            guard let value = try service.json(of: response) else { return }
            try await OutputFile.open(nil).write(Console.line(json: value))
        } else if let file = self.media.output {
            try await self.download(file, service)
            if output.json, file != "-" { Console.print(json: DownloadedFile(file).json) }
        }
    }

    private func upload(_ file: String, _ service: APIService, _ connection: APIConnection) async throws -> [UInt8] {
        guard let mediaUpload = self.method.upload else {
            throw CommandError.usage("--upload: \(self.method.id) does not accept a file", "Remove --upload.")
        }
        try UploadFile.check(file, option: "--upload")
        let type = mediaUpload.isResumable ? "resumable" : self.arguments.body == nil ? "media" : "multipart"
        var message = try self.message(
            service,
            self.arguments,
            uploadPath: mediaUpload.path,
            parameters: [("uploadType", type)]
        )
        guard mediaUpload.isResumable else {
            if self.media.resume {
                throw CommandError.usage(
                    "--resume: uploads with \(self.method.id) cannot be resumed",
                    "Remove --resume."
                )
            }
            var body = try FileBody.make(file, option: "--upload")
            if let metadata = message.body {
                (message.request, body) = try MultipartUpload.make(
                    message.request,
                    metadata: metadata,
                    media: body,
                    contentType: self.media.uploadType
                )
            } else {
                message.request.headerFields[.contentType] = self.media.uploadType
            }
            return try await service.fetcher.data(for: message.request, body: body)
        }
        let upload = Upload(
            message.request,
            metadata: message.body.map { HTTPBody($0) },
            source: try await HTTPBody(file: file),
            contentType: self.media.uploadType,
            strategy: GoogleResumableUpload()
        )
        let location = [message.request.url, message.body.map { String(decoding: $0, as: UTF8.self) } ?? ""]
        return try await ResumableTransfer.upload(
            file,
            to: location.joined(separator: "\n"),
            by: connection.account,
            resumes: self.media.resume
        ) { state, progress, save in
            try await service.fetcher.upload(upload, from: state, progress: progress, saving: save).1
        }
    }

    private func download(_ file: String, _ service: APIService) async throws {
        guard self.method.hasMediaDownload else {
            throw CommandError.usage("--output: \(self.method.id) does not return a file", "Remove --output.")
        }
        var request = try self.message(service, self.arguments, parameters: [("alt", "media")]).request
        request.headerFields[.accept] = nil
        guard file != "-" else {
            return try await MediaOutput.write(try await service.opened(request).body)
        }
        let whole = request
        _ = try await ResumableTransfer.download(to: file) { progress in
            try await service.fetcher.download(whole, to: file, resumes: self.media.resume, progress: progress)
        }
    }
}

extension HTTPRequest {
    /// The request's URL.
    fileprivate var url: String { "\(self.scheme ?? "")://\(self.authority ?? "")\(self.path ?? "")" }
}

/// Iterates over the pages of a list, with one call for each page.
struct PageWalk {
    private var arguments: APIArguments?
    private var tokens: PageTokens?

    /// Creates an iterator, which returns a single page if `paging` is nil.
    init(_ arguments: APIArguments, _ paging: APIPaging?) {
        self.arguments = arguments
        self.tokens = paging.map { PageTokens($0) }
    }

    /// Returns the next page, or nil after the last one.
    ///
    /// - Throws: Any error that `call` throws, or `apiRepeatedPage` if the API repeats a page.
    mutating func next(_ call: (APIArguments) async throws -> JSONNode?) async throws -> JSONNode? {
        guard var arguments = self.arguments else { return nil }
        self.arguments = nil
        let page = try await call(arguments)
        if let members = page.flatMap({ APIStorage($0) }), try self.tokens?.advance(&arguments, after: members) == true
        {
            self.arguments = arguments
        }
        return page
    }
}
