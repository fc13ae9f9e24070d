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
    case upload

    /// The operation that a request's method and path name.
    init(_ request: EndpointRequest, _ parameters: FormParameters) throws(DriveFailure) {
        let isGet = request.method == .get
        switch request.path {
        case "/drive/v3/about" where isGet: self = .about
        case "/drive/v3/files" where isGet: self = .list
        case "/drive/v3/files" where request.method == .post: self = .create
        case "/upload/drive/v3/files" where request.method == .post: self = .upload
        case let path where isGet && path.hasPrefix("/drive/v3/files/"):
            let id = String(path.dropFirst("/drive/v3/files/".count))
            guard !id.isEmpty, !id.contains("/") else { throw Self.unknown }
            switch parameters["alt"] {
            case nil, "json": self = .metadata(id: id)
            case "media": self = .download(id: id)
            default: throw .invalid("alt")
            }
        default: throw Self.unknown
        }
    }

    /// Any one of these scopes is enough.
    var scopes: [String] {
        let write = [ScopeCatalog.drive, ScopeCatalog.driveFile]
        let read = write + [ScopeCatalog.driveReadonly]
        return switch self {
        case .about, .list, .metadata: read + [ScopeCatalog.driveMetadataReadonly]
        case .download: read
        case .create, .upload: write
        }
    }

    private static let unknown = DriveFailure(
        status: .notFound,
        reason: "notFound",
        message: "This Drive knows about.get, files.list, files.get and files.create."
    )
}
#endif
