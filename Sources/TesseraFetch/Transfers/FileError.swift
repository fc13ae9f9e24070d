// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth
internal import TesseraSupport

/// An error that occurred while a transfer was reading or writing a local file.
public struct FileError: ErrorGuidance, Hashable {
    /// The reason that the transfer could not use the file.
    public enum Code: Sendable, Hashable {
        /// A system call failed with an error number.
        case system(number: Int32, call: String)
        /// Another transfer in this or another process is writing to the file.
        case busy
        /// The path does not refer to a regular file.
        case notRegular
        /// A file with this name exists and must not be replaced.
        case exists
        /// The file belongs to another user of this machine.
        case foreignOwner
        /// The file was truncated or modified while it was being read.
        case changed
    }

    /// The reason for the failure.
    public let code: Code
    /// The file's path.
    public let path: String

    /// Creates an error for a file.
    public init(_ code: Code, path: String) {
        self.code = code
        self.path = path
    }

    /// Whether repeating the transfer may succeed, which is the case for a file that is in use or has changed.
    public var isRetryable: Bool { self.code == .busy || self.code == .changed }

    /// A one-line description of the error with the file's path.
    public var description: String {
        switch self.code {
        case .system(let number, let call): "\(self.path): \(String(cString: strerror(number))) (\(call))"
        case .busy: "\(self.path): another transfer is writing to it"
        case .notRegular: "\(self.path): not a regular file"
        case .exists: "\(self.path): a file with this name exists"
        case .foreignOwner: "\(self.path): it belongs to another user"
        case .changed: "\(self.path): it changed while it was being sent"
        }
    }

    /// A suggested next step for the user or the developer.
    public var recoverySuggestion: String? {
        switch self.code {
        case .system(let number, _) where number == ENOSPC || number == EDQUOT:
            "Free some space, or choose another location. The data received so far was saved."
        case .system: "Choose another file, or change its permissions."
        case .busy: "Wait for the other transfer, or choose another file."
        case .notRegular: "Specify a regular file."
        case .exists: "Choose another name, or allow the file to be replaced."
        case .foreignOwner: "Choose another location, or remove the file if you know its owner."
        case .changed: "Try again when no program is writing to the file."
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
