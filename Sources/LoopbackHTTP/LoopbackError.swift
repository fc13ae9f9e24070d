// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// A system call of the server failed.
package struct LoopbackError: Error, Hashable, CustomStringConvertible {
    /// The call.
    package let call: String
    /// Its error number.
    package let errorNumber: Int32

    /// Whether another program listens on the port.
    package var isPortTaken: Bool { self.errorNumber == EADDRINUSE }

    package var description: String { "\(self.call) failed: error \(self.errorNumber)" }

    init(call: String, errorNumber: Int32 = errno) {
        self.call = call
        self.errorNumber = errorNumber
    }

    /// Whether the machine does not have this kind of address at all.
    var isAddressMissing: Bool {
        [EAFNOSUPPORT, EADDRNOTAVAIL, EPROTONOSUPPORT].contains(self.errorNumber)
    }
}
