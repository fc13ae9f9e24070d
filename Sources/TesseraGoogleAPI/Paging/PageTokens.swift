// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// Goes from page to page of a list, and sees when it goes in a circle.
package struct PageTokens: Sendable {
    private let paging: APIPaging
    private var seen: Set<Int> = []

    package init(_ paging: APIPaging) { self.paging = paging }

    /// Makes the arguments ask for the page that a page names.
    ///
    /// - Returns: whether it names one.
    /// - Throws: `apiRepeatedPage` where that came before: the list would never end.
    package mutating func advance(_ arguments: inout APIArguments, after page: APIStorage) throws -> Bool {
        guard let token = page.node(self.paging.responseToken)?.stringValue, !token.isEmpty else { return false }
        guard self.seen.insert(token.hashValue).inserted else {
            throw ProtocolViolation(
                .apiRepeatedPage,
                expected: "a page that did not come before",
                section: "https://google.aip.dev/158"
            )
        }
        guard self.paging.isInBody else {
            arguments.parameters.set(self.paging.requestToken, .string(token))
            return true
        }
        var body = arguments.body.flatMap { APIStorage($0) } ?? APIStorage()
        body.set(self.paging.requestToken, .string(token))
        arguments.body = body.node
        return true
    }
}

extension APIPaging {
    /// A selection of fields with what names the next page, where it leaves that out.
    package func completed(_ selection: FieldSelection) -> FieldSelection {
        selection.contains(self.responseToken) ? selection : FieldSelection(self.responseToken) + selection
    }
}
