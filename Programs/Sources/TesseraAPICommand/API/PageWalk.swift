// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJSON

/// The pages of a list, one call each.
struct PageWalk {
    private var arguments: APIArguments?
    private var tokens: PageTokens?

    /// Without a paging there is one page.
    init(_ arguments: APIArguments, _ paging: APIPaging?) {
        self.arguments = arguments
        self.tokens = paging.map { PageTokens($0) }
    }

    /// The next page; nil after the last.
    ///
    /// - Throws: what `call` throws; `apiRepeatedPage` where the API names a page that came before.
    mutating func next(_ call: (APIArguments) async throws -> JSONNode?) async throws -> JSONNode? {
        guard var arguments = self.arguments else { return nil }
        self.arguments = nil
        let page = try await call(arguments)
        if let members = page.flatMap({ APIStorage($0) }), try self.tokens?.advance(&arguments, after: members) == true
        {
            self.arguments = arguments
        }
        return page
    }
}
