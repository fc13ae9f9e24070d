// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraUserAgents

/// Who opens a scheme, as `tessera register-scheme` says it.
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
            handler.isOurs ? "tessera; 'tessera register-scheme --remove' takes it back" : "another program"
        )
        return table.text
    }
}
