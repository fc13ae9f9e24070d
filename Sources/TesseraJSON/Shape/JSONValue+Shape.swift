// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension JSONValue {
    /// Looks through everything that the shape knows.
    ///
    /// - Throws: the first value that is none of what may stand there.
    package func check(_ shape: JSONShape) throws(JSONMismatch) {
        guard self.kind == .object else { throw JSONMismatch(expected: "an object", actual: self.kind) }
        try self.tape.check(self.index, shape)
    }
}

extension JSONTape {
    fileprivate func check(_ object: Int, _ shape: JSONShape) throws(JSONMismatch) {
        let end = Int(self.entries[object].next)
        var member = object + 1
        while member < end {
            if let field = self.field(self.entries[member], shape) {
                do {
                    try self.check(member + 1, field.kind)
                } catch {
                    throw error.within(field.name)
                }
            }
            member = self.following(member + 1)
        }
    }

    private func field(_ name: Entry, _ shape: JSONShape) -> JSONShape.Field? {
        let bytes = self.bytes
        guard name.flag else {
            return bytes.withSpan { shape.field($0.extracting(name.content), name.next) }
        }
        let unescaped = bytes.withSpan { JSONStringText.unescaped($0, name.content) }
        return unescaped.withSpan { shape.field($0, name.next) }
    }

    private func check(_ index: Int, _ kind: JSONShape.Kind) throws(JSONMismatch) {
        let entry = self.entries[index]
        if entry.kind == .null { return }
        switch kind {
        case .any: return
        case .bool:
            if entry.kind == .bool { return }
            throw JSONMismatch(expected: "true or false", actual: entry.kind)
        case .number(let passes):
            if entry.kind == .number, passes(self.bytes[entry.range]) { return }
            if entry.kind == .string, passes(self.text(entry)) { return }
            throw JSONMismatch(expected: "a number that fits", actual: entry.kind)
        case .text:
            if entry.kind == .string { return }
            throw JSONMismatch(expected: "a text", actual: entry.kind)
        case .list(let kind): try self.checkList(index, kind)
        case .map(let kind): try self.checkMap(index, kind)
        case .object(let shape):
            guard entry.kind == .object else { throw JSONMismatch(expected: "an object", actual: entry.kind) }
            try self.check(index, shape())
        }
    }

    private func checkList(_ list: Int, _ kind: JSONShape.Kind) throws(JSONMismatch) {
        let entry = self.entries[list]
        guard entry.kind == .array else { throw JSONMismatch(expected: "a list", actual: entry.kind) }
        var (element, place) = (list + 1, 0)
        while element < Int(entry.next) {
            do {
                try self.check(element, kind)
            } catch {
                throw error.within("[\(place)]")
            }
            element = self.following(element)
            place += 1
        }
    }

    private func checkMap(_ map: Int, _ kind: JSONShape.Kind) throws(JSONMismatch) {
        let entry = self.entries[map]
        guard entry.kind == .object else { throw JSONMismatch(expected: "an object", actual: entry.kind) }
        var member = map + 1
        while member < Int(entry.next) {
            do {
                try self.check(member + 1, kind)
            } catch {
                throw error.within(self.string(member))
            }
            member = self.following(member + 1)
        }
    }

    /// A string's bytes with its escapes resolved.
    private func text(_ entry: Entry) -> ArraySlice<UInt8> {
        let bytes = self.bytes
        guard entry.flag else { return bytes[entry.content] }
        return bytes.withSpan { JSONStringText.unescaped($0, entry.content)[...] }
    }
}
