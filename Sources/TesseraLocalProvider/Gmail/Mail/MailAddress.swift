// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The addresses in a field such as `To` (RFC 5322, section 3.4): groups and comments are not looked into.
enum MailAddress {
    /// The bare addresses, in lower case.
    static func all(in field: String) -> [String] {
        var (items, item, isQuoted) = ([String](), "", false)
        for character in field {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted {
                items.append(item)
                item = ""
            } else {
                item.append(character)
            }
        }
        return (items + [item]).compactMap(self.address)
    }

    private static func address(_ text: String) -> String? {
        var text = text
        if let end = text.lastIndex(of: ">"), let start = text[..<end].lastIndex(of: "<") {
            text = String(text[text.index(after: start)..<end])
        }
        let address = text.trimmed.lowercased()
        let sides = address.split(separator: "@", omittingEmptySubsequences: false)
        return sides.count == 2 && !sides.contains("") && !address.contains(" ") ? address : nil
    }
}
#endif
