// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// An upload cannot go on, though nothing is wrong with the network.
public struct UploadError: ErrorGuidance, Hashable {
    /// What went wrong.
    public enum Code: Sendable, Hashable {
        /// The answer to the beginning names no session, or one at an origin that is not authorized.
        case noSession
        /// An answer contradicts what was sent.
        case nonsense
        /// The server has less than the source can give again.
        case cannotRewind
        /// The server forgot the upload again and again.
        case forgotten
        /// The server ended the upload.
        case cancelled
        /// The source has another length than it said.
        case length
    }

    /// What went wrong.
    public let code: Code

    /// A failure.
    public init(_ code: Code) { self.code = code }

    /// Whether the same upload may succeed when it begins anew.
    public var isRetryable: Bool { [.nonsense, .forgotten, .cancelled].contains(self.code) }

    /// One line: what happened.
    public var description: String {
        switch self.code {
        case .noSession: "The server began no upload that can be used"
        case .nonsense: "The server's answer contradicts what it was sent"
        case .cannotRewind: "The server lost a part of the upload that cannot be read again"
        case .forgotten: "The server forgot the upload again and again"
        case .cancelled: "The server ended the upload"
        case .length: "The source has another length than it said"
        }
    }

    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        switch self.code {
        case .noSession: "Check that the address is one for resumable uploads."
        case .cannotRewind: "Upload from a file, or from bytes."
        case .length: "Say the right length, or none."
        case .nonsense, .forgotten, .cancelled: "Begin the upload again."
        }
    }
}
