// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A file of the small Drive, without its bytes.
struct DriveFile: Sendable {
    static let folderType = "application/vnd.google-apps.folder"

    /// Where the bytes are.
    enum Content: Sendable {
        case memory([UInt8])
        /// A file of the data directory.
        case disk(fileName: String, size: Int64)
        /// A folder has none.
        case none
    }

    var id: String
    var name: String
    var mimeType: String
    var description: String?
    var createdTime: Date
    var modifiedTime: Date
    var content: Content
    /// The client that created the file; only that one sees it with the scope `drive.file`.
    var creatorID: String?

    var size: Int64? {
        switch self.content {
        case .memory(let bytes): Int64(bytes.count)
        case .disk(_, let size): size
        case .none: nil
        }
    }
}
#endif
