// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// Text that a server or a redirect supplied, made fit for a message.
package enum TextFromOutside {
    /// At most `limit` characters, control characters escaped.
    package static func printable(_ text: String, limit: Int = 200) -> String {
        ProtocolViolation.printable(text, limit: limit)
    }
}
