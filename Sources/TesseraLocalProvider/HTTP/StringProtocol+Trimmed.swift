// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = self.firstIndex(where: { !isBlank($0) }),
            let last = self.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[first...last])
    }
}
#endif
