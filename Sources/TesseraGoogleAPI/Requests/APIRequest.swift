// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// A request that calls a method of an API.
///
/// Generated clients have a type for each method. ``APICall`` sends the request.
public protocol APIRequest: Sendable {
    /// The type of the response.
    associatedtype Response: APIValue

    /// The method that the request calls.
    static var method: APIMethod { get }
    /// The request's parameters and body.
    var arguments: APIArguments { get set }
}

/// The parameters and body of a request.
///
/// This type is meant for generated code. In your code, use a request's properties instead.
public struct APIArguments: Sendable {
    /// The path and query parameters, keyed by their names in the API.
    public var parameters = APIStorage()
    /// The request body.
    public var body: JSONNode?

    /// Creates arguments without parameters or a body.
    public init() {}
}

/// A request that can upload a file.
public protocol MediaUploadRequest: APIRequest {
    /// The upload path relative to the root URL, such as `upload/drive/v3/files`.
    static var uploadPath: String { get }
}

/// A request that can upload a file in pieces and resume an interrupted upload.
public protocol ResumableUploadRequest: MediaUploadRequest {}

/// A request whose response can be the contents of a file.
public protocol MediaDownloadRequest: APIRequest {}

/// A request whose response is a page of a list.
public protocol PagedRequest: APIRequest where Response: APIObject {
    /// The names of the page tokens.
    static var paging: APIPaging { get }
}

/// A request whose response is a page of items.
public protocol ItemizedRequest: PagedRequest {
    /// The type of the items.
    associatedtype Item: Sendable

    /// Returns the items of a page.
    static func items(in page: Response) -> [Item]
}

/// The names that a list uses for its page tokens.
public struct APIPaging: Sendable {
    let requestToken: String
    let responseToken: String
    let isInBody: Bool

    /// Creates the names of the page tokens.
    ///
    /// - Parameters:
    ///   - requestToken: The name of the query parameter or body member that requests a page.
    ///   - responseToken: The name of the member that contains the next page's token.
    ///   - isInBody: Whether the request token is a body member.
    public init(_ requestToken: String = "pageToken", _ responseToken: String = "nextPageToken", isInBody: Bool = false)
    {
        self.requestToken = requestToken
        self.responseToken = responseToken
        self.isInBody = isInBody
    }
}

/// The empty response of a method that returns no result.
public struct NoContent: APIValue, Hashable {
    /// Creates an empty response.
    public init() {}

    /// Creates an empty response from any JSON.
    public init?(_ node: JSONNode) {}

    /// The JSON value `null`.
    public var node: JSONNode { .null }
}
