// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import TesseraJSON
internal import TesseraOAuth
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

    var text: String {
        guard let handler else { return "No program opens \(self.scheme.name):" }
        var table = FieldTable()
        table.add("Scheme", self.scheme.name)
        table.add("Program", handler.name.map { UntrustedText.printable($0) })
        table.add("Command", handler.exec.map { UntrustedText.printable($0, limit: 4_096) })
        table.add("Entry", UntrustedText.printable(handler.path, limit: 4_096))
        table.add("Chosen in", handler.chosenIn.map { UntrustedText.printable($0, limit: 4_096) })
        table.add(
            "Written by",
            handler.isOurs ? "tessera; 'tessera register-scheme --remove' takes it back" : "another program"
        )
        return table.text
    }
}
#endif
