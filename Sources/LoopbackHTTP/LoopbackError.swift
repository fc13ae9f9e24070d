// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A system call of the server failed.
package struct LoopbackError: Error, Hashable, CustomStringConvertible {
    /// The call.
    package let call: String
    /// Its error number.
    package let errorNumber: Int32

    /// Whether another program listens on the port.
    package var isPortTaken: Bool { self.errorNumber == EADDRINUSE }

    /// Whether no program listens at a Unix socket's path.
    package var isNobodyThere: Bool { [ENOENT, ECONNREFUSED, ENOTSOCK].contains(self.errorNumber) }

    /// Whether a program that died left its socket at the path.
    package var isSocketDead: Bool { self.errorNumber == ECONNREFUSED }

    /// Whether the program at the other end is another user's, or its place is.
    package var isAnotherUsers: Bool { [EPERM, EACCES].contains(self.errorNumber) }

    /// Whether the other program took too long.
    package var isTimeout: Bool { self.errorNumber == ETIMEDOUT }

    /// Whether the path is too long for a Unix socket.
    package var isPathTooLong: Bool { self.errorNumber == ENAMETOOLONG }

    /// Whether something else than a socket is at a Unix socket's path.
    package var isNoSocket: Bool { self.errorNumber == EEXIST }

    package var description: String { "\(self.call): \(String(cString: strerror(self.errorNumber)))" }

    init(call: String, errorNumber: Int32 = errno) {
        self.call = call
        self.errorNumber = errorNumber
    }

    /// Whether the machine does not have this kind of address at all.
    var isAddressMissing: Bool {
        [EAFNOSUPPORT, EADDRNOTAVAIL, EPROTONOSUPPORT].contains(self.errorNumber)
    }
}
