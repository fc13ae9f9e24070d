// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

/// What a request asks of the Drive.
enum DriveOperation: Sendable, Hashable {
    case about
    case startPageToken
    case changes
    case list
    case generateIDs
    case emptyTrash
    case metadata(id: String)
    case download(id: String)
    case export(id: String)
    case create
    case update(id: String)
    case copy(id: String)
    case delete(id: String)
    /// The bytes of a new file, or of one that is there.
    case upload(id: String?)
    /// The beginning of an upload session, in either protocol.
    case resumableUpload(id: String?)
    case permissions(id: String)
    case createPermission(id: String)
    case permission(id: String, permissionID: String)
    case updatePermission(id: String, permissionID: String)
    case deletePermission(id: String, permissionID: String)

    /// The operation that a request's method and path name.
    init(_ request: EndpointRequest, _ parameters: FormParameters) throws(APIFailure) {
        let words = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        let operation: Self? =
            if words.starts(with: ["drive", "v3"]) {
                try Self.plain(request, Array(words.dropFirst(2)), parameters)
            } else if words.starts(with: ["upload", "drive", "v3", "files"]) {
                Self.upload(request, Array(words.dropFirst(4)))
                    .map { id in
                        parameters["uploadType"] == "resumable" || UploadDialect(request.headers) == .command
                            ? .resumableUpload(id: id) : .upload(id: id)
                    }
            } else if words.starts(with: ["resumable", "upload", "drive", "v3", "files"]) {
                Self.upload(request, Array(words.dropFirst(5))).map { .resumableUpload(id: $0) }
            } else {
                nil
            }
        guard let operation, !words.contains("") else { throw Self.unknown }
        self = operation
    }

    private static func plain(
        _ request: EndpointRequest,
        _ words: [String],
        _ parameters: FormParameters
    ) throws(APIFailure) -> Self? {
        switch (request.method, words.count, words.first) {
        case (.get, 1, "about"): return .about
        case (.get, 1, "changes"): return .changes
        case (.get, 2, "changes"): return words[1] == "startPageToken" ? .startPageToken : nil
        case (.get, 1, "files"): return .list
        case (.post, 1, "files"): return .create
        case (.get, 2, "files") where words[1] == "generateIds": return .generateIDs
        case (.delete, 2, "files") where words[1] == "trash": return .emptyTrash
        case (.get, 2, "files"):
            switch parameters["alt"] {
            case nil, "json": return .metadata(id: words[1])
            case "media": return .download(id: words[1])
            default: throw .invalid("alt")
            }
        case (.patch, 2, "files"): return .update(id: words[1])
        case (.delete, 2, "files"): return .delete(id: words[1])
        case (_, 3..., "files"): return Self.part(request.method, id: words[1], Array(words.dropFirst(2)))
        default: return nil
        }
    }

    /// What concerns something of a file.
    private static func part(_ method: HTTPRequest.Method, id: String, _ words: [String]) -> Self? {
        switch (method, words.count, words[0]) {
        case (.post, 1, "copy"): .copy(id: id)
        case (.get, 1, "export"): .export(id: id)
        case (.get, 1, "permissions"): .permissions(id: id)
        case (.post, 1, "permissions"): .createPermission(id: id)
        case (.get, 2, "permissions"): .permission(id: id, permissionID: words[1])
        case (.patch, 2, "permissions"): .updatePermission(id: id, permissionID: words[1])
        case (.delete, 2, "permissions"): .deletePermission(id: id, permissionID: words[1])
        default: nil
        }
    }

    /// The file whose bytes are uploaded, or nil for a new one; nothing where the address is none for uploads.
    private static func upload(_ request: EndpointRequest, _ words: [String]) -> String?? {
        switch (request.method, words.count) {
        case (.post, 0): .some(nil)
        case (.patch, 1): .some(words[0])
        default: nil
        }
    }

    private static let unknown = APIFailure(
        status: .notFound,
        reason: "notFound",
        message: "This Drive knows the methods of about, changes, files and permissions, without watching."
    )
}

extension DriveOperation {
    /// Any one of these scopes is enough.
    ///
    /// - SeeAlso: [Google Drive API, REST reference](https://developers.google.com/workspace/drive/api/reference/rest/v3)
    var scopes: [String] {
        let write = [ScopeCatalog.drive, ScopeCatalog.driveFile]
        let own = [ScopeCatalog.driveApplicationData]
        let metadata = [ScopeCatalog.driveMetadata]
        let read = write + [ScopeCatalog.driveReadonly]
        let see = read + metadata + [ScopeCatalog.driveMetadataReadonly]
        return switch self {
        case .about, .list, .metadata, .changes, .startPageToken: see + own
        case .permissions, .permission: see
        case .download: read + own
        case .export: read
        case .create, .upload, .resumableUpload, .delete, .copy, .generateIDs: write + own
        case .update: write + own + metadata
        case .createPermission, .updatePermission, .deletePermission: write
        case .emptyTrash: [ScopeCatalog.drive]
        }
    }
}
#endif
