// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraSupport

/// Who is at the other end of a connection, as the system says: taken when the connection was made.
package struct LoopbackPeer: Sendable, Hashable {
    /// The number of the user.
    package let user: UInt32
    /// The number of the process; 0 where the system does not say, and for a TCP connection.
    ///
    /// Another process may have it by now.
    package let process: Int32

    package init(user: UInt32, process: Int32) {
        self.user = user
        self.process = process
    }

    /// The path of the process's program, or its name where the path may not be seen; nil when it has ended.
    ///
    /// For people to read, and never to decide by: a program can give itself any name.
    package var program: String? {
        var name = [UInt8](repeating: 0, count: 1_024)
        let length = name.withUnsafeMutableBytes { buffer in
            tessera_program_of(self.process, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        return length > 0 ? String(decoding: name[..<length], as: UTF8.self) : nil
    }
}
