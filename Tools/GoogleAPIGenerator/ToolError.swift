// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraAPIGenerator

/// Why the tool ends without a result.
struct ToolError: Error {
    /// The exit codes, a part of those that `tessera` has.
    enum Status: Int32 {
        case unexpected = 1
        /// The command line, or a file that it names.
        case usage = 2
        /// A response that cannot be used.
        case response = 4
        /// The network, or a busy server.
        case network = 5
    }

    let status: Status
    /// What failed and why, without a full stop.
    let message: String
    /// What to do.
    let advice: String

    init(_ status: Status, _ message: String, _ advice: String) {
        self.status = status
        self.message = message
        self.advice = advice
    }

    static func usage(_ message: String, _ advice: String = "See 'google-api-generator --help'.") -> ToolError {
        ToolError(.usage, message, advice)
    }

    /// An error that nothing more specific is known about.
    init(_ error: any Error) {
        self = error as? ToolError ?? ToolError(.unexpected, error.reason, "Please report it.")
    }
}

extension Error {
    /// The system's reason for an error of a file or of the network, without a full stop.
    var reason: String {
        let error = self as NSError
        if let cause = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map({ $0 as NSError }),
            cause.domain == NSPOSIXErrorDomain
        {
            return String(cString: strerror(Int32(cause.code)))
        }
        let text = error.localizedDescription
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
