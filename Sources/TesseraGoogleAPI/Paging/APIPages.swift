// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

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
        guard let text = self.commonParameters.node("fields")?.stringValue else { return self }
        return self.fields(Request.paging.completed(FieldSelection(text)))
    }
}
