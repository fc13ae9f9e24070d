// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// One call of an API's method as a value: what is sent, and what comes back.
///
/// Generated code has one for each method. ``APICall`` sends it.
public protocol APIRequest: Sendable {
    /// What comes back.
    associatedtype Response: APIValue

    /// The method.
    static var method: APIMethod { get }
    /// Parameters and body.
    var arguments: APIArguments { get set }
}

/// What a request carries.
///
/// For generated code; programs use the properties.
public struct APIArguments: Sendable {
    /// The parameters of the path and of the query, by their names at the API.
    public var parameters = APIStorage()
    /// The body.
    public var body: JSONNode?

    /// Nothing.
    public init() {}
}

/// A request that can carry a file.
public protocol MediaUploadRequest: APIRequest {
    /// The path of uploads below the root URL, such as `upload/drive/v3/files`.
    static var uploadPath: String { get }
}

/// A request that can carry a file in pieces, and go on with it after an interruption.
public protocol ResumableUploadRequest: MediaUploadRequest {}

/// A request whose answer may be a file's contents.
public protocol MediaDownloadRequest: APIRequest {}

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

/// Nothing: all that a method answers is that it is done.
public struct NoContent: APIValue, Hashable {
    /// Nothing.
    public init() {}

    /// Takes anything.
    public init?(_ node: JSONNode) {}

    /// `null`.
    public var node: JSONNode { .null }
}
