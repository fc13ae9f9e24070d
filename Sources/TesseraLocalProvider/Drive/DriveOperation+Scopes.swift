// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
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
