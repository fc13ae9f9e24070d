// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The text of a `mimeapps.list`, in which a person's choices stand: which programs open what, the first one first.
///
/// - SeeAlso: [MIME Applications Specification](https://specifications.freedesktop.org/mime-apps-spec/latest/)
struct DefaultPrograms: Sendable, Hashable {
    private var file: KeyFile
    private static let group = "Default Applications"

    init(_ text: String) { self.file = KeyFile(text) }

    var text: String { self.file.text }

    /// The programs that were chosen for a type, by their entries' names.
    func programs(for type: String) -> [String] { self.list(type, in: Self.group) }

    /// The programs that somebody added to those that can open a type.
    func added(for type: String) -> [String] { self.list(type, in: "Added Associations") }

    /// Puts a program before the others, which come into their own again when it is removed.
    mutating func prefer(_ id: String, for type: String) {
        self.set([id] + self.programs(for: type).filter { $0 != id }, for: type)
    }

    /// Takes a program away.
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
