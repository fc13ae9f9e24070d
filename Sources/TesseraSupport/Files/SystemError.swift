// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A failed system call, or a file that must not be used.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// A system call failed.
        case call
        /// The file or directory belongs to another user.
        case owner
        /// Other users can read or write the file, or write to the directory.
        case permissions
        case notRegular
        case tooLong
    }

    package let reason: Reason
    package let path: String
    /// The name of the call that failed.
    package let call: String?
    /// `errno`, if a call failed.
    package let status: Int32?
    /// A description of what failed, without the path.
    package let detail: String

    package init(_ reason: Reason, path: String, call: String? = nil, status: Int32? = nil, detail: String) {
        self.reason = reason
        self.path = path
        self.call = call
        self.status = status
        self.detail = detail
    }

    /// Creates the error for a failed system call.
    ///
    /// If access was denied and the path or its nearest existing parent directory belongs to another user, the error
    /// names that user.
    package init(_ status: Int32, _ call: String, _ path: String) {
        if status == EACCES || status == EPERM, let denied = Self.denied(status, call, path) {
            self = denied
        } else {
            let detail = "\(call): \(String(cString: strerror(status)))"
            self.init(.call, path: path, call: call, status: status, detail: detail)
        }
    }

    init(owner: UInt32, of path: String, call: String? = nil, status: Int32? = nil) {
        let process = FileOwner.description(of: UInt32(geteuid()))
        let detail = "its owner is \(FileOwner.description(of: owner)), and this process is running as \(process)"
        self.init(.owner, path: path, call: call, status: status, detail: detail)
    }

    private static func denied(_ status: Int32, _ call: String, _ path: String) -> SystemError? {
        var location: String? = path.hasPrefix("/") ? path : nil
        while let current = location {
            var information = stat()
            if lstat(current, &information) == 0 {
                let owner = FileStatus(information)
                return owner.isOwn ? nil : SystemError(owner: owner.owner, of: current, call: call, status: status)
            }
            location = FileSystem.parent(of: current)
        }
        return nil
    }

    package var description: String { "\(self.path): \(self.detail)" }
}
