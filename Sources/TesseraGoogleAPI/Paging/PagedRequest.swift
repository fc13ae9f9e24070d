// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A request whose answer comes in pages.
public protocol PagedRequest: APIRequest where Response: APIObject {
    /// How a page names the next one.
    static var paging: APIPaging { get }
}

/// A request whose pages hold items.
public protocol ItemizedRequest: PagedRequest {
    /// What is listed.
    associatedtype Item: Sendable

    /// A page's items.
    static func items(in page: Response) -> [Item]
}

/// How a page names the next one.
public struct APIPaging: Sendable {
    let requestToken: String
    let responseToken: String
    let isInBody: Bool

    /// - Parameters:
    ///   - requestToken: the name of the parameter, or of the body's member, that asks for a page.
    ///   - responseToken: the name of the member that names the next page.
    ///   - isInBody: whether the body asks.
    public init(_ requestToken: String = "pageToken", _ responseToken: String = "nextPageToken", isInBody: Bool = false)
    {
        self.requestToken = requestToken
        self.responseToken = responseToken
        self.isInBody = isInBody
    }
}
