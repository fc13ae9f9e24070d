// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator
internal import TesseraCommand
internal import TesseraOAuth

/// The methods of an API, or of one of its resources.
struct MethodIndex {
    private let document: DiscoveryDocument
    private let methods: [DiscoveryMethod]

    init(_ document: DiscoveryDocument, _ name: MethodName) {
        self.document = document
        let prefix = name.text == name.api ? "" : name.text + "."
        self.methods = document.root.allMethods.filter { $0.id.hasPrefix(prefix) }.sorted { $0.id < $1.id }
    }

    var text: TerminalText {
        var table = ColumnTable("METHOD", "WHAT IT DOES")
        for method in self.methods {
            let sentence = UntrustedText.printable(DiscoveryDocument.summary(of: method.description), limit: 100)
            table.add(method.id, method.isDeprecated ? "(deprecated) " + sentence : sentence)
        }
        return table.text
    }
}
