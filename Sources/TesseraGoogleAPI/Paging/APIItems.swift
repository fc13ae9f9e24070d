// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
