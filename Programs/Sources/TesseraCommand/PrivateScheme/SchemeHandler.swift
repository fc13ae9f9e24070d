// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraJSON
internal import TesseraUserAgents

/// The program that a desktop starts for URLs with a scheme.
struct SchemeHandler: Sendable, Hashable {
    /// The ID of the desktop entry.
    let id: String
    /// The path of the desktop entry.
    let path: String
    /// The file that selects the program, or nil if the program was found only by its desktop entry.
    let chosenIn: String?
    /// Whether this command wrote the desktop entry.
    let isOurs: Bool
    /// The name in the desktop entry.
    let name: String?
    /// The command line in the desktop entry.
    let exec: String?

    private init(_ id: String, _ entry: (path: String, text: String), chosenIn: String?, for scheme: PrivateScheme) {
        let file = DesktopKeyFile(entry.text)
        self.id = id
        self.path = entry.path
        self.chosenIn = chosenIn
        self.isOurs = DesktopEntry.isOurs(entry.text, for: scheme)
        self.name = file.value(of: "Name", in: "Desktop Entry")
        self.exec = file.value(of: "Exec", in: "Desktop Entry")
    }

    /// Finds the program as a desktop does: the first installed default program, or else any program that supports the
    /// scheme.
    static func find(for scheme: PrivateScheme, in places: ApplicationDirectories) -> SchemeHandler? {
        let type = DesktopEntry.type(of: scheme)
        let choices = places.choices.compactMap { path in
            (try? DesktopFile.read(path)).map { (path, DefaultPrograms($0)) }
        }
        let chosen = choices.map { path, choice in (path, choice.programs(for: type)) }
        let added = choices.map { path, choice in (path, choice.added(for: type)) }
        for (path, ids) in chosen + added {
            for id in ids {
                guard let entry = places.entry(id) else { continue }
                return SchemeHandler(id, entry, chosenIn: path, for: scheme)
            }
        }
        for directory in places.directories {
            for id in ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
            where id.hasSuffix(".desktop") {
                guard let text = try? DesktopFile.read("\(directory)/\(id)"), Self.offers(type, text) else { continue }
                return SchemeHandler(id, ("\(directory)/\(id)", text), chosenIn: nil, for: scheme)
            }
        }
        return nil
    }

    private static func offers(_ type: String, _ text: String) -> Bool {
        let file = DesktopKeyFile(text)
        let types = (file.value(of: "MimeType", in: "Desktop Entry") ?? "").split(separator: ";")
        return types.contains { $0 == type } && file.value(of: "Hidden", in: "Desktop Entry") != "true"
    }

    /// A description for error messages.
    var description: String {
        let name = self.name ?? "A program"
        let choice = self.chosenIn.map { ", as \($0) says" } ?? ""
        return "\(name) (\(self.path))\(choice)"
    }
}

/// The program that opens a scheme, as `tessera register-scheme` prints it.
struct SchemeReport: Sendable {
    let scheme: PrivateScheme
    let handler: SchemeHandler?

    var members: [JSONMember] {
        [
            JSONMember(name: "scheme", value: .string(self.scheme.name)),
            JSONMember(name: "registered", value: .bool(self.handler?.isOurs ?? false)),
            JSONMember(name: "handler", value: AccountReport.text(self.handler?.id)),
            JSONMember(name: "entry", value: AccountReport.text(self.handler?.path)),
            JSONMember(name: "name", value: AccountReport.text(self.handler?.name)),
            JSONMember(name: "exec", value: AccountReport.text(self.handler?.exec)),
            JSONMember(name: "chosenIn", value: AccountReport.text(self.handler?.chosenIn)),
        ]
    }

    var text: TerminalText {
        guard let handler else { return "No program opens \(self.scheme.name):" }
        var table = FieldTable()
        table.add("Scheme", self.scheme.name)
        table.add("Program", handler.name)
        table.add("Command", handler.exec)
        table.add("Entry", handler.path)
        table.add("Chosen in", handler.chosenIn)
        table.add(
            "Written by",
            handler.isOurs ? "tessera; 'tessera register-scheme --remove' removes it" : "another program"
        )
        return table.text
    }
}
