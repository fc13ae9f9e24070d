// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import TesseraOAuth

extension DriveService {
    private typealias Method = @Sendable (APICall) throws -> EndpointResponse

    /// The methods of the Drive, each with the scopes of which any one is enough.
    ///
    /// - SeeAlso: [Google Drive API, REST reference](https://developers.google.com/workspace/drive/api/reference/rest/v3)
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    func addRoutes(to router: Router<ProviderRequestContext>, _ service: ProviderService) {
        let write = [ScopeCatalog.drive, ScopeCatalog.driveFile]
        let own = [ScopeCatalog.driveApplicationData]
        let read = write + [ScopeCatalog.driveReadonly]
        let see = read + [ScopeCatalog.driveMetadata, ScopeCatalog.driveMetadataReadonly]
        let routes = Routes(router: router, service: service)

        routes.on(.get, "about", see + own, self.about)
        routes.on(.get, "changes", see + own, self.changes)
        routes.on(.get, "changes/startPageToken", see + own, self.startPageToken)
        routes.on(.get, "files", see + own, self.list)
        routes.on(.post, "files", write + own, self.create)
        routes.on(.get, "files/generateIds", write + own, self.generateIDs)
        routes.on(.delete, "files/trash", [ScopeCatalog.drive], self.emptyTrash)
        routes.on(.get, "files/:id", see + own, media: read + own, self.metadataOrMedia)
        routes.on(.patch, "files/:id", write + own + [ScopeCatalog.driveMetadata], self.update)
        routes.on(.delete, "files/:id", write + own, self.delete)
        routes.on(.post, "files/:id/copy", write + own, self.copy)
        routes.on(.get, "files/:id/export", read, self.export)
        routes.on(.get, "files/:id/permissions", see, self.permissions)
        routes.on(.post, "files/:id/permissions", write, self.createPermission)
        routes.on(.get, "files/:id/permissions/:permission", see, self.permission)
        routes.on(.patch, "files/:id/permissions/:permission", write, self.updatePermission)
        routes.on(.delete, "files/:id/permissions/:permission", write, self.deletePermission)
        routes.onUpload(write + own, self.upload)
    }

    static let unknownMethod = APIFailure(
        .notFound,
        "notFound",
        "This Drive knows the methods of about, changes, files and permissions, without watching."
    )

    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    private struct Routes {
        let router: Router<ProviderRequestContext>
        let service: ProviderService

        func on(
            _ method: HTTPRequest.Method,
            _ path: String,
            _ scopes: [String],
            media: [String]? = nil,
            _ answer: @escaping Method
        ) {
            self.router.on("/drive/v3/\(path)", method: method) { [service] request, context in
                let request = try await EndpointRequest(request, context, limit: 256 << 10)
                return try await service.respond(request, context, anyOf: scopes, media: media, answer)
            }
        }

        /// The bytes of a file, or the beginning of a session for them; a session's requests have an address in common.
        func onUpload(_ scopes: [String], _ answer: @escaping Method) {
            let service = self.service
            for path in ["/upload/drive/v3/files", "/resumable/upload/drive/v3/files"] {
                let upload = { @Sendable (request: Request, context: ProviderRequestContext) in
                    let request = try await EndpointRequest(request, context, limit: 64 << 20)
                    return try await service.respond(request, context, anyOf: scopes, media: nil, answer)
                }
                for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] {
                    self.router.on(RouterPath(path), method: method) { request, context in
                        if let session = DriveService.session(request) {
                            return await service.drive.respond(
                                to: EndpointRequest(request, context),
                                UploadBody(request, context),
                                session: session,
                                context.driveFault,
                                at: service.options.now()
                            )
                        }
                        guard method == .post else { throw DriveService.unknownMethod }
                        return try await upload(request, context)
                    }
                }
                self.router.on("\(path)/:id", method: .patch, use: upload)
            }
        }
    }
}

extension ProviderService {
    /// Checks a call's token and carries the call out.
    fileprivate func respond(
        _ request: EndpointRequest,
        _ context: ProviderRequestContext,
        anyOf scopes: [String],
        media: [String]?,
        _ answer: @escaping @Sendable (APICall) throws -> EndpointResponse
    ) async throws -> EndpointResponse {
        let api = "drive.googleapis.com"
        let call = try self.apiCall(request, anyOf: scopes, media: media, service: api, context.driveFault)
        return try await self.drive.queue.run { try answer(call) }
    }
}

extension ProviderState {
    /// What goes wrong with the next request to the Drive; a request uses it up.
    mutating func nextDriveFault() -> LocalProviderOptions.DriveFault {
        self.behaviour.driveFaults.isEmpty ? .none : self.behaviour.driveFaults.removeFirst()
    }
}

extension DriveService {
    /// The answer of a fault that carries nothing out, whatever was asked; nil for the others.
    static func failure(_ fault: LocalProviderOptions.DriveFault) -> (any EndpointFailure)? {
        switch fault {
        case .status(let code, let retryAfter):
            return FaultFailure(failure: self.failure(code), retryAfter: retryAfter)
        case .rateLimited:
            let message = "User Rate Limit Exceeded. Rate of requests for user exceed configured project quota."
            return APIFailure(.forbidden, "userRateLimitExceeded", message, domain: "usageLimits")
        default:
            return nil
        }
    }

    private struct FaultFailure: EndpointFailure {
        let failure: APIFailure
        let retryAfter: Int?

        var response: EndpointResponse {
            var response = self.failure.response
            response.headers[.retryAfter] = self.retryAfter.map(String.init)
            return response
        }
    }

    private static func failure(_ code: Int) -> APIFailure {
        let (reason, message, name): (String, String, String?) =
            switch code {
            case 401: ("authError", "Invalid Credentials", "UNAUTHENTICATED")
            case 403: ("forbidden", "Forbidden", "PERMISSION_DENIED")
            case 404: ("notFound", "Not Found", nil)
            case 408: ("requestTimeout", "Request Timeout", nil)
            case 429: ("rateLimitExceeded", "Rate Limit Exceeded", "RESOURCE_EXHAUSTED")
            case 503: ("backendError", "Service Unavailable", "UNAVAILABLE")
            case 500...: ("internalError", "Internal Error", "INTERNAL")
            default: ("badRequest", "As the test asked.", nil)
            }
        let domain = code == 429 ? "usageLimits" : "global"
        return APIFailure(HTTPResponse.Status(code: code), reason, message, statusName: name, domain: domain)
    }
}
#endif
