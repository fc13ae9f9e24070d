// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
extension FormParameters {
    /// A whole number; nil where the parameter is absent.
    func number(_ name: String, in range: ClosedRange<Int>) throws(APIFailure) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .invalid(
                name,
                "Invalid value '\(text.prefix(40))'. Values must be within the range: "
                    + "[\(range.lowerBound), \(range.upperBound)]"
            )
        }
        return number
    }

    /// A truth value; false where the parameter is absent.
    func flag(_ name: String) throws(APIFailure) -> Bool {
        switch self[name]?.lowercased() {
        case nil, "false": return false
        case "true": return true
        default: throw .invalid(name)
        }
    }
}
#endif
