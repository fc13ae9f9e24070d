// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import TesseraOAuth
internal import TesseraSupport

extension DriveService {
    private typealias Method = @Sendable (APICall) throws -> ProviderResponse

    /// Adds the Drive API's methods, along with the scopes that they accept and their default fields.
    ///
    /// - SeeAlso: [Google Drive API, REST
    ///   reference](https://developers.google.com/workspace/drive/api/reference/rest/v3)
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    func addRoutes(to router: Router<ProviderRequestContext>, _ service: ProviderService) {
        let write = [ScopeCatalog.drive, ScopeCatalog.driveFile]
        let own = [ScopeCatalog.driveApplicationData]
        let read = write + [ScopeCatalog.driveReadonly]
        let see = read + [ScopeCatalog.driveMetadata, ScopeCatalog.driveMetadataReadonly]
        let update = write + own + [ScopeCatalog.driveMetadata]
        let file = "kind,id,name,mimeType"
        let list = "kind,incompleteSearch,nextPageToken,files(\(file))"
        let changes =
            "kind,nextPageToken,newStartPageToken,changes(kind,type,changeType,time,removed,fileId,file(\(file)))"
        let permission = "kind,id,type,role"

        func on(
            _ method: HTTPRequest.Method,
            _ path: String,
            _ scopes: [String],
            media: [String]? = nil,
            fields: String? = nil,
            _ response: @escaping Method
        ) {
            router.on("/drive/v3/\(path)", method: method) { request, context in
                let request = try await ProviderRequest(request, context, limit: 256 << 10)
                return try await service.respond(request, context, scopes, media: media, fields: fields, response)
            }
        }
        on(.get, "about", see + own, fields: "*", self.about)
        on(.get, "changes", see + own, fields: changes, self.changes)
        on(.get, "changes/startPageToken", see + own, fields: "*", self.startPageToken)
        on(.get, "files", see + own, fields: list, self.list)
        on(.post, "files", write + own, fields: file, self.create)
        on(.get, "files/generateIds", write + own, fields: "*", self.generateIDs)
        on(.delete, "files/trash", [ScopeCatalog.drive], self.emptyTrash)
        on(.get, "files/:id", see + own, media: read + own, fields: file, self.metadataOrMedia)
        on(.patch, "files/:id", update, fields: file, self.update)
        on(.delete, "files/:id", write + own, self.delete)
        on(.post, "files/:id/copy", write + own, fields: file, self.copy)
        on(.get, "files/:id/export", read, self.export)
        on(
            .get,
            "files/:id/permissions",
            see,
            fields: "kind,nextPageToken,permissions(\(permission))",
            self.permissions
        )
        on(.post, "files/:id/permissions", write, fields: permission, self.createPermission)
        on(.get, "files/:id/permissions/:permission", see, fields: permission, self.permission)
        on(.patch, "files/:id/permissions/:permission", write, fields: permission, self.updatePermission)
        on(.delete, "files/:id/permissions/:permission", write, self.deletePermission)

        // Add uploads and the creation of upload sessions. All requests in a session use the same path.
        for path in Self.uploadPaths {
            let upload = { @Sendable (request: Request, context: ProviderRequestContext) in
                let request = try await ProviderRequest(request, context, limit: 64 << 20)
                return try await service.respond(request, context, write + own, fields: file, self.upload)
            }
            for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] {
                router.on(RouterPath(path), method: method) { request, context in
                    if let session = Self.session(request) {
                        return await self.respond(
                            to: ProviderRequest(request, context),
                            UploadBody(request, context),
                            session: session,
                            context.driveFault,
                            at: service.options.now()
                        )
                    }
                    guard method == .post else { throw Self.unknownMethod }
                    return try await upload(request, context)
                }
            }
            router.on("\(path)/:id", method: .patch, use: upload)
        }
    }

    private static let uploadPaths = ["/upload/drive/v3/files", "/resumable/upload/drive/v3/files"]

    /// Returns the ID of the upload session to which a request belongs, or `nil` for any other request.
    static func session(_ request: Request) -> String? {
        guard Self.uploadPaths.contains(request.uri.path) else { return nil }
        return (try? FormParameters(received: request.uri.query ?? ""))?["upload_id"]
    }

    static let unknownMethod = APIFailure(
        .notFound,
        "notFound",
        "This Drive only supports the methods of about, changes, files and permissions, except watch."
    )
}

extension ProviderService {
    /// Authorizes and performs an API call.
    fileprivate func respond(
        _ request: ProviderRequest,
        _ context: ProviderRequestContext,
        _ scopes: [String],
        media: [String]? = nil,
        fields: String?,
        _ response: @escaping @Sendable (APICall) throws -> ProviderResponse
    ) async throws -> ProviderResponse {
        let call = try self.apiCall(
            request,
            anyOf: scopes,
            media: media,
            fields: fields,
            service: "drive.googleapis.com",
            context.driveFault
        )
        return try await self.drive.executor.run { try response(call) }
    }
}

extension DriveService {
    /// Returns the error for a fault that prevents any request from being processed, or `nil` for other faults.
    static func failure(_ fault: LocalProviderOptions.DriveFault) -> APIFailure? {
        switch fault {
        case .status(let code, let retryAfter):
            let (reason, message, name): (String, String, String?) =
                switch code {
                case 401: ("authError", "Invalid Credentials", "UNAUTHENTICATED")
                case 403: ("forbidden", "Forbidden", "PERMISSION_DENIED")
                case 404: ("notFound", "Not Found", nil)
                case 408: ("requestTimeout", "Request Timeout", nil)
                case 429: ("rateLimitExceeded", "Rate Limit Exceeded", "RESOURCE_EXHAUSTED")
                case 503: ("backendError", "Service Unavailable", "UNAVAILABLE")
                case 500...: ("internalError", "Internal Error", "INTERNAL")
                default: ("badRequest", "A test requested this error.", nil)
                }
            let domain = code == 429 ? "usageLimits" : "global"
            let status = HTTPResponse.Status(code: code)
            var failure = APIFailure(status, reason, message, statusName: name, domain: domain)
            failure.retryAfter = retryAfter
            return failure
        case .rateLimited:
            let message = "User Rate Limit Exceeded. Rate of requests for user exceed configured project quota."
            return APIFailure(.forbidden, "userRateLimitExceeded", message, domain: "usageLimits")
        default:
            return nil
        }
    }
}
#endif
