// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth
internal import TesseraSupport

/// A file of the caller's that a transfer reads or writes cannot be used as it should.
public struct FileError: ErrorGuidance, Hashable {
    /// What went wrong.
    public enum Code: Sendable, Hashable {
        /// The system refused; its number, and the call.
        case system(number: Int32, call: String)
        /// Another transfer, of this process or another one, writes to it just now.
        case busy
        /// It is no regular file.
        case notRegular
        /// Another file has the name, and it must not be replaced.
        case exists
        /// It belongs to another user of this machine.
        case foreignOwner
        /// It became shorter or was written to while it was read.
        case changed
    }

    /// What went wrong.
    public let code: Code
    /// The file.
    public let path: String

    /// A failure.
    public init(_ code: Code, path: String) {
        self.code = code
        self.path = path
    }

    /// True for a file that is in use or changed.
    public var isRetryable: Bool { self.code == .busy || self.code == .changed }

    /// One line: what failed, and where.
    public var description: String {
        switch self.code {
        case .system(let number, let call): "\(self.path): \(String(cString: strerror(number))) (\(call))"
        case .busy: "\(self.path): another transfer writes to it"
        case .notRegular: "\(self.path): not a regular file"
        case .exists: "\(self.path): a file of this name exists"
        case .foreignOwner: "\(self.path): it belongs to another user"
        case .changed: "\(self.path): it changed while it was sent"
        }
    }

    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        switch self.code {
        case .system(let number, _) where number == ENOSPC || number == EDQUOT:
            "Free some space, or choose another place; what has come so far is kept."
        case .system: "Choose another file, or change its permissions."
        case .busy: "Wait for the other transfer, or choose another file."
        case .notRegular: "Name a regular file."
        case .exists: "Choose another name, or allow the file to be replaced."
        case .foreignOwner: "Choose another place, or remove the file if you know its owner."
        case .changed: "Begin again when nothing writes to the file."
        }
    }

    init(_ error: SystemError, path: String) {
        switch (error.reason, error.status) {
        case (_, EEXIST?): self.init(.exists, path: path)
        case (_, let number?): self.init(.system(number: number, call: error.call ?? ""), path: path)
        case (.owner, nil): self.init(.foreignOwner, path: path)
        default: self.init(.notRegular, path: path)
        }
    }
}
