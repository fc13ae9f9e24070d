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
        self.place(of: name).map { JSONValue(self.tape, $0) }
    }

    /// The kind of the member of that name, without a value being made of it.
    package func kind(of name: String) -> JSONKind? { self.place(of: name).map { self.tape.entries[$0].kind } }

    /// The text of the member of that name, without a value being made of it; nil unless it is a string.
    package func string(of name: String) -> String? {
        guard let place = self.place(of: name), self.tape.entries[place].kind == .string else { return nil }
        return self.tape.string(place)
    }

    /// The first of the names whose member is neither a string nor null; one walk through the object for all of them.
    package func firstOtherThanString(of names: [String]) -> String? {
        guard self.kind == .object else { return nil }
        let end = Int(self.entry.next)
        var member = self.index + 1
        while member < end {
            let kind = self.tape.entries[member + 1].kind
            if kind != .string, kind != .null {
                let name = self.tape.string(member)
                if names.contains(name) { return name }
            }
            member = self.tape.following(member + 1)
        }
        return nil
    }

    private func place(of name: String) -> Int? {
        guard self.kind == .object else { return nil }
        let place = name.utf8.withContiguousStorageIfAvailable { self.tape.member($0.span, of: self.index) }
        return place ?? Array(name.utf8).withSpan { self.tape.member($0, of: self.index) }
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
