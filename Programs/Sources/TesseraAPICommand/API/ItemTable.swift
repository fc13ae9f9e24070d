// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraCommand
internal import TesseraJSON
internal import TesseraOAuth

/// A table of a list's items and their scalar members, or of names and values for any other response.
struct ItemTable {
    private let resource: String
    private let hasPages: Bool
    private var columns: [String] = []
    private var items: [[String: ListRows.Cell]] = []
    private var fields = FieldTable()
    private var values = ListRows(["name": "NAME", "value": "VALUE"])
    private var hasFields = false

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - resource: The name of the resource, which identifies its list if the response has several.
    ///   - hasPages: Whether the responses are pages of a list. APIs omit an empty list, so such a page has no rows.
    init(resource: String, hasPages: Bool) {
        self.resource = resource
        self.hasPages = hasPages
    }

    var isEmpty: Bool { self.items.isEmpty && !self.hasFields }

    mutating func add(_ response: JSONNode) {
        if let items = self.items(of: response) {
            for item in items { self.add(item: item) }
            return
        }
        let hasItems = response.members?.contains { $0.value.elements != nil || $0.value.members != nil } ?? false
        if self.hasPages, !hasItems { return }
        for member in response.members ?? [] {
            guard let cell = Self.cell(member.value) else { continue }
            self.fields.add(member.name, cell.shown)
            self.values.add(.init(member.name), cell)
            self.hasFields = true
        }
    }

    var text: TerminalText { self.items.isEmpty ? self.fields.text : self.rows.text }

    /// The items, or the names and values of another response.
    var rows: ListRows {
        guard !self.items.isEmpty else { return self.values }
        var rows = ListRows(names: self.columns)
        for item in self.items { rows.add(row: self.columns.map { item[$0] ?? "" }) }
        return rows
    }

    private mutating func add(item: JSONNode) {
        var row: [String: ListRows.Cell] = [:]
        // A list of plain strings is shown in one column.
        let members =
            item.members ?? [JSONMember(name: self.resource, value: item)]
        for member in members {
            guard let cell = Self.cell(member.value) else { continue }
            if !self.columns.contains(member.name) { self.columns.append(member.name) }
            row[member.name] = cell
        }
        self.items.append(row)
    }

    /// Returns the elements of `items`, the list named after the resource, the only list of objects, or the only list.
    private func items(of response: JSONNode) -> [JSONNode]? {
        var lists: [(name: String, elements: [JSONNode])] = []
        for member in response.members ?? [] {
            guard let elements = member.value.elements else { continue }
            lists.append((member.name, elements))
        }
        let named = lists.first { $0.name == "items" } ?? lists.first { $0.name == self.resource }
        let objects = lists.filter { $0.elements.first?.members != nil }
        let chosen = named ?? (objects.count == 1 ? objects.first : lists.count == 1 ? lists.first : nil)
        // A response with an `id` is a single resource, even if it contains a list.
        guard let chosen, named != nil || response["id"] == nil else { return nil }
        return chosen.elements
    }

    /// Returns the cell for a scalar, or nil for any other value.
    private static func cell(_ value: JSONNode) -> ListRows.Cell? {
        guard !value.isNull, value.elements == nil, value.members == nil else { return nil }
        let text = value.stringValue ?? String(decoding: value.serialized(), as: UTF8.self)
        return .init(text, shown: UntrustedText.printable(text, limit: 60))
    }
}
