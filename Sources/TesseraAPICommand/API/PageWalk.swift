// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import TesseraGoogleAPI
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// The pages of a list one after the other, or the one answer of what has no pages.
struct PageWalk {
    private var arguments: APIArguments?
    private let paging: MethodPaging?
    private var seen: Set<String> = []

    /// Without a paging there is one page.
    init(_ arguments: APIArguments, _ paging: MethodPaging?) {
        self.arguments = arguments
        self.paging = paging
    }

    /// The next page; nil after the last.
    ///
    /// - Throws: what `call` throws; `apiRepeatedPage` where the API names a page that came before.
    mutating func next(_ call: (APIArguments) async throws -> JSONValue?) async throws -> JSONValue? {
        guard var arguments = self.arguments else { return nil }
        self.arguments = nil
        let page = try await call(arguments)
        guard let paging, let token = page?[MethodPaging.next]?.string, !token.isEmpty else { return page }
        guard self.seen.insert(token).inserted else {
            throw ProtocolViolation(
                .apiRepeatedPage,
                expected: "a page that did not come before",
                section: "https://google.aip.dev/158"
            )
        }
        if paging.isInBody {
            var body = arguments.body.flatMap { APIStorage($0) } ?? APIStorage()
            body.set(paging.name, .string(token))
            arguments.body = body.node
        } else {
            arguments.parameters.set(paging.name, .string(token))
        }
        self.arguments = arguments
        return page
    }
}
#endif
