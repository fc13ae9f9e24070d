// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraSupport

/// A listening Unix socket that another process created, and that this process inherited.
package struct InheritedListener: Sendable, Hashable {
    /// The descriptor, which stays open until the process exits.
    package let descriptor: Int32
    /// The path to which the socket is bound.
    package let path: String

    /// Checks that a descriptor is a listening Unix stream socket with a path, and that programs do not inherit it.
    ///
    /// - Throws: ``LoopbackError`` with the error number `EBADF` or `ENOTSOCK` if the descriptor is not a socket,
    ///   `EAFNOSUPPORT` if it is not a Unix socket, `EPROTOTYPE` if it is not a stream socket, `EINVAL` if it does not
    ///   listen, or `EADDRNOTAVAIL` if it has no path.
    package init(descriptor: Int32) throws(LoopbackError) {
        var path = [CChar](repeating: 0, count: 256)
        guard tessera_local_inherit(descriptor, &path, path.count) == 0 else { throw LoopbackError(call: "getsockopt") }
        self.descriptor = descriptor
        self.path = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
