// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// The pages of a list, one call each, made when the page is asked for.
///
/// A page may be empty and yet not the last.
public struct APIPages<Request: PagedRequest>: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = Request.Response

    let call: APICall<Request>

    /// Begins with the first page, or with the one that the request names.
    public func makeAsyncIterator() -> Iterator { Iterator(call: self.call.askingForToken()) }

    /// Gets one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var call: APICall<Request>?
        private var tokens = PageTokens(Request.paging)

        init(call: APICall<Request>) { self.call = call }

        /// The next page; nil after the last.
        ///
        /// - Throws: as ``APICall/execute()``; `apiRepeatedPage` where the API names a page that came before, which would
        ///   never end. After an error there is no next page.
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
    /// The pages, from this call's on.
    public var pages: APIPages<Request> { APIPages(call: self) }

    /// Asks for what names the next page, where the selection of fields leaves it out.
    fileprivate func askingForToken() -> Self {
        guard let text = self.commonParameters.first(where: { $0.name == "fields" })?.value else { return self }
        return self.fields(Request.paging.completed(FieldSelection(text)))
    }
}

/// The items of a list, whatever page they are on.
public struct APIItems<Request: ItemizedRequest>: AsyncSequence, Sendable {
    /// What is listed.
    public typealias Element = Request.Item

    let pages: APIPages<Request>

    /// Begins with the first item.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self.pages.makeAsyncIterator()) }

    /// Gets one item after the other, and keeps one page.
    public struct Iterator: AsyncIteratorProtocol {
        var pages: APIPages<Request>.Iterator
        private var items: [Request.Item] = []
        private var place = 0

        init(pages: APIPages<Request>.Iterator) { self.pages = pages }

        /// The next item; nil after the last.
        ///
        /// - Throws: as the iterator of ``APIPages``.
        public mutating func next() async throws -> Request.Item? {
            while self.place == self.items.count {
                guard let page = try await self.pages.next() else { return nil }
                self.items = Request.items(in: page)
                self.place = 0
            }
            defer { self.place += 1 }
            return self.items[self.place]
        }
    }
}

extension APICall where Request: ItemizedRequest {
    /// The items of all pages, from this call's page on, with no end but the list's own.
    public var items: APIItems<Request> { APIItems(pages: self.pages) }
}

/// Turns the arguments of a call into those of the next page, and notices a list that repeats its pages.
public struct PageTokens: Sendable {
    private let paging: APIPaging
    private var seen: Set<Int> = []

    /// Creates the tokens of a list from its first page on.
    public init(_ paging: APIPaging) { self.paging = paging }

    /// Changes the arguments to request the page after `page`.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the call.
    ///   - page: The last response.
    /// - Returns: Whether there is a next page.
    /// - Throws: `ProtocolViolationError` `apiRepeatedPage` if it came before, so that the list would never end.
    public mutating func advance(_ arguments: inout APIArguments, after page: APIStorage) throws -> Bool {
        guard let token = page.node(self.paging.responseToken)?.stringValue, !token.isEmpty else { return false }
        guard self.seen.insert(token.hashValue).inserted else {
            throw ProtocolViolationError(
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
    /// Returns a selection of fields together with the field that names the next page.
    public func completed(_ selection: FieldSelection) -> FieldSelection {
        selection.contains(self.responseToken) ? selection : FieldSelection(self.responseToken) + selection
    }
}
