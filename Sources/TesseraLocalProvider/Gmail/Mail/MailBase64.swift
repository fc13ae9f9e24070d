// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJOSE

/// Base64 as mail programs send it: in either alphabet, with padding or without, over many lines.
enum MailBase64 {
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var clean: [UInt8] = []
        for byte in text {
            switch byte {
            case UInt8(ascii: "+"): clean.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): clean.append(UInt8(ascii: "_"))
            case UInt8(ascii: "="), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: " "): continue
            default: clean.append(byte)
            }
        }
        return Base64URL.decode(String(decoding: clean, as: UTF8.self))
    }

    /// The URL-safe alphabet with padding, as Gmail answers.
    static func encode(_ bytes: some Collection<UInt8>) -> String {
        let text = Base64URL.encode(bytes)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }
}
#endif
