// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// The pages of a list, which are requested one at a time during iteration.
///
/// A page may be empty even if it is not the last one.
public struct APIPages<Request: PagedRequest>: AsyncSequence, Sendable {
    /// A response that contains one page.
    public typealias Element = Request.Response

    let call: APICall<Request>

    /// Returns an iterator that begins with the first page, or with the page that the request specifies.
    public func makeAsyncIterator() -> Iterator { Iterator(call: self.call.askingForToken()) }

    /// An iterator over the pages.
    public struct Iterator: AsyncIteratorProtocol {
        private var call: APICall<Request>?
        private var tokens = PageTokens(Request.paging)

        init(call: APICall<Request>) { self.call = call }

        /// Returns the next page, or nil after the last one.
        ///
        /// After an error, there is no next page.
        ///
        /// - Throws: Any error that ``APICall/execute()`` throws, or `ProtocolViolationError` `apiRepeatedPage` if the
        ///   API returns a page for the second time, because such a list would never end.
        public mutating func next() async throws -> Request.Response? {
            guard var call = self.call else { return nil }
            self.call = nil
            let page = try await call.execute()
            if try self.tokens.advance(&call.request.arguments, after: page.storage) { self.call = call }
            return page
        }
    }
}

extension APICall where Request: PagedRequest {
    /// The pages of the list, beginning with this call's page.
    public var pages: APIPages<Request> { APIPages(call: self) }

    /// Returns a call that also requests the next page's token if the selected fields do not include it.
    fileprivate func askingForToken() -> Self {
        guard let text = self.commonParameters.first(where: { $0.name == "fields" })?.value else { return self }
        return self.fields(Request.paging.completed(FieldSelection(text)))
    }
}

/// The items on all pages of a list.
public struct APIItems<Request: ItemizedRequest>: AsyncSequence, Sendable {
    /// An item of the list.
    public typealias Element = Request.Item

    let pages: APIPages<Request>

    /// Returns an iterator that begins with the first item.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self.pages.makeAsyncIterator()) }

    /// An iterator over the items, which holds one page at a time.
    public struct Iterator: AsyncIteratorProtocol {
        var pages: APIPages<Request>.Iterator
        private var items: [Request.Item] = []
        private var location = 0

        init(pages: APIPages<Request>.Iterator) { self.pages = pages }

        /// Returns the next item, or nil after the last one.
        ///
        /// - Throws: Any error that the iterator of ``APIPages`` throws.
        public mutating func next() async throws -> Request.Item? {
            while self.location == self.items.count {
                guard let page = try await self.pages.next() else { return nil }
                self.items = Request.items(in: page)
                self.location = 0
            }
            defer { self.location += 1 }
            return self.items[self.location]
        }
    }
}

extension APICall where Request: ItemizedRequest {
    /// The items on all pages, beginning with this call's page.
    ///
    /// Their number is not limited.
    public var items: APIItems<Request> { APIItems(pages: self.pages) }
}

/// Updates the arguments of a call for the next page, and detects lists that repeat a page.
public struct PageTokens: Sendable {
    private let paging: APIPaging
    private var seen: Set<Int> = []

    /// Creates the page tokens for a list.
    public init(_ paging: APIPaging) { self.paging = paging }

    /// Updates the arguments to request the page that follows `page`.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the call.
    ///   - page: The most recent response.
    /// - Returns: Whether there is a next page.
    /// - Throws: `ProtocolViolationError` `apiRepeatedPage` if the next page has already been returned, because such a
    ///   list would never end.
    public mutating func advance(_ arguments: inout APIArguments, after page: APIStorage) throws -> Bool {
        guard let token = page.node(self.paging.responseToken)?.stringValue, !token.isEmpty else { return false }
        guard self.seen.insert(token.hashValue).inserted else {
            throw ProtocolViolationError(
                .apiRepeatedPage,
                expected: "a page that has not been returned before",
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
    /// Returns a selection of fields that also includes the next page's token.
    public func completed(_ selection: FieldSelection) -> FieldSelection {
        selection.contains(self.responseToken) ? selection : FieldSelection(self.responseToken) + selection
    }
}
