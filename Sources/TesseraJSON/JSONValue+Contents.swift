// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension JSONValue {
    /// The members in the order of the text; nil unless the value is an object.
    public var members: JSONMembers? { self.kind == .object ? JSONMembers(of: self) : nil }

    /// The elements; nil unless the value is an array.
    public var elements: JSONElements? { self.kind == .array ? JSONElements(of: self) : nil }

    /// The member of that name; nil when there is none or the value is not an object.
    ///
    /// The time is linear in the number of members.
    public subscript(_ name: String) -> JSONValue? {
        guard self.kind == .object else { return nil }
        var name = name
        return name.withUTF8 { text in
            let end = self.tape.following(self.index)
            var member = self.index + 1
            while member < end {
                if self.tape.isString(member, text.span) { return JSONValue(self.tape, member + 1) }
                member = self.tape.following(member + 1)
            }
            return nil
        }
    }

    /// The element at that place, from 0; nil when there is none or the value is not an array.
    ///
    /// The time is linear in the place: walk through ``elements`` to read them all.
    public subscript(_ place: Int) -> JSONValue? {
        guard place >= 0, place < self.elements?.count ?? 0 else { return nil }
        return self.elements?.dropFirst(place).first
    }

    /// The member of that name.
    ///
    /// - Throws: ``JSONError`` with `missingMember`, or `wrongKind` when the value is not an object.
    public func member(_ name: String) throws(JSONError) -> JSONValue {
        guard self.kind == .object else { throw JSONError(.wrongKind, offset: self.offset) }
        guard let value = self[name] else { throw JSONError(.missingMember, offset: self.offset) }
        return value
    }
}
