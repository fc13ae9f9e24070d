// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A page of files for Foundation's decoder, with strings for 64-bit integers and dates.
struct DecodedPage: Decodable {
    var kind: String
    var incompleteSearch: Bool
    var files: [DecodedFile]
}

/// A file in a page.
struct DecodedFile: Decodable {
    struct Owner: Decodable {
        var kind: String
        var displayName: String
        var me: Bool
        var permissionId: String
        var emailAddress: String
    }

    struct Capabilities: Decodable {
        var canEdit: Bool
        var canCopy: Bool
        var canComment: Bool
        var canDownload: Bool
        var canShare: Bool
    }

    struct Image: Decodable {
        var width: Int
        var height: Int
        var exposureTime: Double
    }

    var kind: String
    var id: String
    var name: String
    var mimeType: String
    var starred: Bool
    var trashed: Bool
    var parents: [String]
    var version: String
    var webViewLink: String
    var iconLink: String
    var createdTime: String
    var modifiedTime: String
    var owners: [Owner]
    var capabilities: Capabilities
    var md5Checksum: String
    var size: String
    var imageMediaMetadata: Image
}
