// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// An error other than a network error that prevents an upload from continuing.
public struct UploadError: ErrorGuidance, Hashable {
    /// The reason that the upload cannot continue.
    public enum Code: Sendable, Hashable {
        /// The response to the first request has no session URI, or one whose origin is not authorized.
        case noSession
        /// A response contradicts the requests that were sent.
        case invalidResponse
        /// The server requires bytes that the source cannot provide again.
        case cannotRewind
        /// The upload session repeatedly expired on the server.
        case sessionExpired
        /// The server canceled the upload.
        case canceled
        /// The source's length differs from the declared length.
        case length
    }

    /// The reason for the failure.
    public let code: Code

    /// Creates an error.
    public init(_ code: Code) { self.code = code }

    /// Whether uploading the same source again may succeed.
    public var isRetryable: Bool { [.invalidResponse, .sessionExpired, .canceled].contains(self.code) }

    /// A one-line description of the error.
    public var description: String {
        switch self.code {
        case .noSession: "The server did not start a resumable upload at an authorized origin"
        case .invalidResponse: "The server's response contradicts the data it was sent"
        case .cannotRewind: "The server lost a part of the upload that cannot be read again"
        case .sessionExpired: "The upload session expired repeatedly on the server"
        case .canceled: "The server canceled the upload"
        case .length: "The length of the source differs from the declared length"
        }
    }

    /// A suggested next step for the user or the developer.
    public var recoverySuggestion: String? {
        switch self.code {
        case .noSession: "Check that the URL is an endpoint for resumable uploads."
        case .cannotRewind: "Upload from a file or from bytes in memory, with metadata in memory."
        case .length: "Declare the correct length, or none."
        case .invalidResponse, .sessionExpired, .canceled: "Start the upload again."
        }
    }
}
