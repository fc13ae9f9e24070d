// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraAPIGenerator

/// An error with the exit code of the tool.
struct ToolError: Error {
    /// The exit codes, which have the same meaning as those of `tessera`.
    enum Status: Int32 {
        case unexpected = 1
        /// An invalid command line or input file.
        case usage = 2
        /// An invalid response.
        case response = 4
        /// A network error or a temporarily unavailable server.
        case network = 5
    }

    let status: Status
    /// The failure and its cause, without a final period.
    let message: String
    /// An instruction for the user.
    let advice: String

    init(_ status: Status, _ message: String, _ advice: String) {
        self.status = status
        self.message = message
        self.advice = advice
    }

    static func usage(_ message: String, _ advice: String = "See 'google-api-generator --help'.") -> ToolError {
        ToolError(.usage, message, advice)
    }

    /// Converts any error, with the exit code 1 if it is not a `ToolError`.
    init(_ error: any Error) {
        self = error as? ToolError ?? ToolError(.unexpected, error.reason, "Please report it.")
    }
}

extension Error {
    /// The system's description of a file or network error, without a final period.
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
