// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole

/// A key file in the format that desktops use, with keys and values in groups.
///
/// Edits leave all other bytes unchanged.
struct DesktopKeyFile: Sendable, Hashable {
    /// The lines, including their line breaks.
    private var lines: [String]

    init(_ text: String) {
        self.lines = []
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            line.append(scalar)
            if scalar == "\n" {
                self.lines.append(String(line))
                line = String.UnicodeScalarView()
            }
        }
        if !line.isEmpty { self.lines.append(String(line)) }
    }

    var text: String { self.lines.joined() }

    /// Returns the raw value of a key, or nil if it is missing.
    func value(of key: String, in group: String) -> String? { self.location(of: key, in: group)?.value }

    /// Sets the value of a key, and adds the group if it is missing.
    mutating func set(_ key: String, to value: String, in group: String) {
        let line = "\(key)=\(value)\n"
        if let location = self.location(of: key, in: group) {
            self.lines[location.index] = line
        } else if let header = self.lines.firstIndex(where: { Self.group(of: $0) == group }) {
            self.endLine(header)
            self.lines.insert(line, at: header + 1)
        } else {
            if !self.lines.isEmpty { self.endLine(self.lines.count - 1) }
            self.lines += ["[\(group)]\n", line]
        }
    }

    /// Removes a key, and its group if the group is then empty.
    mutating func remove(_ key: String, from group: String) {
        guard let location = self.location(of: key, in: group) else { return }
        self.lines.remove(at: location.index)
        let isLast = location.index == self.lines.count || Self.group(of: self.lines[location.index]) != nil
        if isLast, Self.group(of: self.lines[location.index - 1]) == group { self.lines.remove(at: location.index - 1) }
    }

    private func location(of key: String, in group: String) -> (index: Int, value: String)? {
        var isInside = false
        for (index, line) in self.lines.enumerated() {
            if let name = Self.group(of: line) {
                isInside = name == group
            } else if isInside, let equals = line.unicodeScalars.firstIndex(of: "="),
                Self.trimmed(line.unicodeScalars[..<equals]) == key
            {
                return (index, Self.trimmed(line.unicodeScalars[equals...].dropFirst()))
            }
        }
        return nil
    }

    private mutating func endLine(_ index: Int) {
        if self.lines[index].unicodeScalars.last != "\n" { self.lines[index] += "\n" }
    }

    /// Returns the name of the group that starts at a line, or nil if the line is not a group header.
    private static func group(of line: String) -> String? {
        let text = Self.trimmed(line.unicodeScalars[...])
        return text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : nil
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        String(Substring(text)).trimmingWhitespace
    }
}

/// The contents of a `mimeapps.list`, which lists the user's default programs for each type in order of preference.
///
/// - SeeAlso: [MIME Applications Specification](https://specifications.freedesktop.org/mime-apps-spec/latest/)
struct DefaultPrograms: Sendable, Hashable {
    private var file: DesktopKeyFile
    private static let group = "Default Applications"

    init(_ text: String) { self.file = DesktopKeyFile(text) }

    var text: String { self.file.text }

    /// Returns the IDs of the default programs for a type.
    func programs(for type: String) -> [String] { self.list(type, in: Self.group) }

    /// Returns the IDs of the programs that were added to those that can open a type.
    func added(for type: String) -> [String] { self.list(type, in: "Added Associations") }

    /// Moves a program to the front of the list.
    mutating func prefer(_ id: String, for type: String) {
        self.set([id] + self.programs(for: type).filter { $0 != id }, for: type)
    }

    /// Removes a program from the list.
    mutating func remove(_ id: String, for type: String) {
        let programs = self.programs(for: type)
        guard programs.contains(id) else { return }
        self.set(programs.filter { $0 != id }, for: type)
    }

    private mutating func set(_ programs: [String], for type: String) {
        if programs.isEmpty { return self.file.remove(type, from: Self.group) }
        self.file.set(type, to: programs.map { $0 + ";" }.joined(), in: Self.group)
    }

    private func list(_ type: String, in group: String) -> [String] {
        let value = self.file.value(of: type, in: group) ?? ""
        return value.split(separator: ";").map { String($0).trimmingWhitespace }.filter { !$0.isEmpty }
    }
}
