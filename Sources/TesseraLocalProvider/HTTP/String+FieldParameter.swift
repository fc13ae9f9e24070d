// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
extension String {
    /// A parameter of a field such as `Content-Type`, without its quotation marks.
    func fieldParameter(_ name: String) -> String? {
        for parameter in self.split(separator: ";").dropFirst() {
            let sides = parameter.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, sides[0].trimmed.lowercased() == name else { continue }
            let value = sides[1].trimmed
            guard value.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
            return String(value.dropFirst().dropLast())
        }
        return nil
    }

    /// The value of such a field without its parameters, in lower case.
    var fieldValue: String {
        self.split(separator: ";", omittingEmptySubsequences: false).first.map { $0.trimmed.lowercased() } ?? ""
    }
}
#endif
