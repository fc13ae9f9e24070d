// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A request that can carry a file.
public protocol MediaUploadRequest: APIRequest {
    /// The path of uploads below the root URL, such as `upload/drive/v3/files`.
    static var uploadPath: String { get }
}

/// A request that can carry a file in pieces, and go on with it after an interruption.
public protocol ResumableUploadRequest: MediaUploadRequest {}

/// A request whose answer may be a file's contents.
public protocol MediaDownloadRequest: APIRequest {}
