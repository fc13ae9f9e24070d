// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

/// What a request asks of the Drive.
enum DriveOperation: Sendable, Hashable {
    case about
    case list
    case metadata(id: String)
    case download(id: String)
    case create
    /// The bytes of a new file, or of one that is there.
    case upload(id: String?)
    /// The beginning of an upload session, in either protocol.
    case resumableUpload(id: String?)
    case delete(id: String)

    /// The operation that a request's method and path name.
    init(_ request: EndpointRequest, _ parameters: FormParameters) throws(DriveFailure) {
        let isGet = request.method == .get
        switch request.path {
        case "/drive/v3/about" where isGet: self = .about
        case "/drive/v3/files" where isGet: self = .list
        case "/drive/v3/files" where request.method == .post: self = .create
        case "/upload/drive/v3/files" where request.method == .post: self = Self.upload(request, parameters, id: nil)
        case "/resumable/upload/drive/v3/files" where request.method == .post: self = .resumableUpload(id: nil)
        case let path where request.method == .patch && path.hasPrefix("/upload/drive/v3/files/"):
            self = Self.upload(request, parameters, id: try Self.id(path, after: "/upload/drive/v3/files/"))
        case let path where request.method == .patch && path.hasPrefix("/resumable/upload/drive/v3/files/"):
            self = .resumableUpload(id: try Self.id(path, after: "/resumable/upload/drive/v3/files/"))
        case let path where request.method == .delete && path.hasPrefix("/drive/v3/files/"):
            self = .delete(id: try Self.id(path, after: "/drive/v3/files/"))
        case let path where isGet && path.hasPrefix("/drive/v3/files/"):
            let id = try Self.id(path, after: "/drive/v3/files/")
            switch parameters["alt"] {
            case nil, "json": self = .metadata(id: id)
            case "media": self = .download(id: id)
            default: throw .invalid("alt")
            }
        default: throw Self.unknown
        }
    }

    private static func id(_ path: String, after prefix: String) throws(DriveFailure) -> String {
        let id = String(path.dropFirst(prefix.count))
        guard !id.isEmpty, !id.contains("/") else { throw Self.unknown }
        return id
    }

    private static func upload(_ request: EndpointRequest, _ parameters: FormParameters, id: String?) -> Self {
        let isResumable = parameters["uploadType"] == "resumable" || UploadDialect(request.headers) == .command
        return isResumable ? .resumableUpload(id: id) : .upload(id: id)
    }

    /// Any one of these scopes is enough.
    var scopes: [String] {
        let write = [ScopeCatalog.drive, ScopeCatalog.driveFile]
        let read = write + [ScopeCatalog.driveReadonly]
        return switch self {
        case .about, .list, .metadata: read + [ScopeCatalog.driveMetadataReadonly]
        case .download: read
        case .create, .upload, .resumableUpload, .delete: write
        }
    }

    private static let unknown = DriveFailure(
        status: .notFound,
        reason: "notFound",
        message: "This Drive knows about.get, files.list, files.get, files.create, files.update of a file's bytes, "
            + "and files.delete."
    )
}
#endif
