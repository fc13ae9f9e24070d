// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

/// Google's partial responses: the parameter `fields`, as `files(id,name),nextPageToken`, `user/emailAddress` or `*`.
struct FieldMask: Sendable, Hashable {
    /// What is kept of an object's member; an empty mask keeps all of it.
    private var members: [String: FieldMask] = [:]
    private var keepsEverything = false

    static let everything = {
        var mask = FieldMask()
        mask.keepsEverything = true
        return mask
    }()

    private init() {}

    init(_ text: String) throws(APIFailure) {
        var rest = Substring(text)
        self = try Self.list(&rest, depth: 0)
        guard rest.isEmpty else { throw .invalid("fields", "Invalid field selection \(text.prefix(100))") }
    }

    /// Whether the member called `name` is kept in whole or in part.
    func keeps(_ path: String...) -> Bool {
        var mask = self
        for name in path {
            if mask.keepsEverything { return true }
            guard let next = mask.members[name] ?? mask.members["*"] else { return false }
            mask = next
        }
        return true
    }

    /// What the mask keeps of a value; the elements of an array are taken one by one.
    func applied(to node: JSONNode) -> JSONNode {
        if self.keepsEverything { return node }
        switch node {
        case .object(let all):
            return .object(
                all.compactMap { member in
                    (self.members[member.name] ?? self.members["*"])
                        .map { mask in
                            JSONMember(name: member.name, value: mask.applied(to: member.value))
                        }
                }
            )
        case .array(let elements):
            return .array(elements.map(self.applied))
        default:
            return node
        }
    }

    private static func list(_ rest: inout Substring, depth: Int) throws(APIFailure) -> FieldMask {
        var mask = FieldMask()
        while true {
            let (name, child) = try self.selector(&rest, depth: depth)
            mask.members[name] = mask.members[name]?.merged(with: child) ?? child
            guard rest.first == "," else { return mask }
            rest = rest.dropFirst()
        }
    }

    private static func selector(_ rest: inout Substring, depth: Int) throws(APIFailure) -> (String, FieldMask) {
        guard depth < 16 else { throw .invalid("fields", "The field selection is nested too deeply") }
        rest = rest.drop { $0 == " " }
        let name = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "*" || $0 == "_" })
        guard !name.isEmpty else { throw .invalid("fields", "Invalid field selection \(rest.prefix(100))") }
        rest = rest.dropFirst(name.count).drop { $0 == " " }
        switch rest.first {
        case "/":
            rest = rest.dropFirst()
            let (next, child) = try self.selector(&rest, depth: depth + 1)
            var mask = FieldMask()
            mask.members[next] = child
            return (name, mask)
        case "(":
            rest = rest.dropFirst()
            let mask = try self.list(&rest, depth: depth + 1)
            guard rest.first == ")" else { throw .invalid("fields", "Invalid field selection: a bracket is open") }
            rest = rest.dropFirst().drop { $0 == " " }
            return (name, mask)
        default:
            return (name, .everything)
        }
    }

    private func merged(with other: FieldMask) -> FieldMask {
        if self.keepsEverything || other.keepsEverything { return .everything }
        var mask = self
        mask.members.merge(other.members) { $0.merged(with: $1) }
        return mask
    }
}

/// Where a page of a list starts; a token belongs to the question that it was given for.
enum PageToken {
    static func text(_ start: Int, _ question: String) -> String {
        Base64URL.encode(Array("\(start)|\(question)".utf8))
    }

    /// Nil for a token that is none, or belongs to another question.
    static func start(_ token: String?, _ question: String) -> Int? {
        guard let token else { return 0 }
        guard let bytes = Base64URL.decode(token), let text = String(wellFormedUTF8: bytes),
            let bar = text.firstIndex(of: "|"), let start = Int(text[..<bar]), (0...1_000_000_000).contains(start),
            text[text.index(after: bar)...] == question
        else { return nil }
        return start
    }

    /// The page of `items` that a token names, and the token of the next page; nil for a token of another question.
    static func page<Item>(
        _ items: [Item],
        from token: String?,
        of size: Int,
        _ question: String
    ) -> (items: ArraySlice<Item>, next: JSONNode?)? {
        guard let start = self.start(token, question) else { return nil }
        let page = items.dropFirst(start).prefix(size)
        let end = start + page.count
        return (page, end < items.count ? .string(self.text(end, question)) : nil)
    }
}
#endif
