// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth

/// A policy that determines which redirects of `GET` and `HEAD` requests are followed.
///
/// Redirects within the same origin are followed with an unchanged request. Redirects to another origin are followed
/// only over https, without the token, and only with harmless header fields such as `Accept`, `Range`, `If-Range` and
/// `User-Agent`. Later requests in the same call do not include the token either.
///
/// - SeeAlso: [RFC 9110, section 15.4](https://www.rfc-editor.org/rfc/rfc9110.html#section-15.4)
public struct RedirectPolicy: Sendable, Hashable {
    /// The maximum number of redirects to follow for one call.
    ///
    /// When the limit is reached, the next redirect is returned as the response.
    public var limit: Int
    /// Whether redirects to another origin are followed.
    public var leavesOrigin: Bool

    /// Creates a redirect policy.
    public init(limit: Int, leavesOrigin: Bool) {
        self.limit = limit
        self.leavesOrigin = leavesOrigin
    }

    /// A policy that returns all redirects to the caller.
    public static let none = RedirectPolicy(limit: 0, leavesOrigin: false)
    /// A policy that follows up to 5 redirects within the origin.
    public static let sameOrigin = RedirectPolicy(limit: 5, leavesOrigin: false)
    /// A policy that follows up to 5 redirects to any origin.
    public static let anywhere = RedirectPolicy(limit: 5, leavesOrigin: true)
}

/// A redirect that may be followed.
struct HTTPRedirect {
    /// The next request.
    let request: HTTPRequest
    /// Whether the request goes to another origin and therefore contains no credentials.
    let leavesOrigin: Bool

    /// The header fields that may be sent to another origin.
    private static let harmless: [HTTPField.Name] = [
        .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .ifModifiedSince, .ifNoneMatch, .ifRange, .range,
        .userAgent,
    ]

    /// Creates a redirect from a response.
    ///
    /// Returns nil if the response is not a redirect or the policy does not follow it. The location can be an absolute
    /// URL, an absolute path, or only a query. Relative paths are not followed.
    init?(of response: HTTPResponse, to request: HTTPRequest, _ policy: RedirectPolicy) {
        guard [301, 302, 303, 307, 308].contains(response.status.code),
            request.method == .get || request.method == .head,
            let location = response.headerFields[.location]
        else { return nil }
        var next = request
        if let target = Self.target(within: request, location) {
            next.path = target
            self.leavesOrigin = false
        } else {
            guard policy.leavesOrigin, let parts = URIParts(location), parts.userinfo == nil, parts.scheme == "https",
                let authority = parts.authority
            else { return nil }
            (next.scheme, next.authority, next.path) = (parts.scheme, authority, parts.requestTarget)
            next.headerFields = HTTPFields(request.headerFields.filter { Self.harmless.contains($0.name) })
            self.leavesOrigin = true
        }
        self.request = next
    }

    /// Returns the path and query of a redirect within the request's origin, or nil for another origin.
    private static func target(within request: HTTPRequest, _ location: String) -> String? {
        let scheme = request.scheme ?? "https"
        if location.hasPrefix("/"), !location.hasPrefix("//") {
            return URIParts("\(scheme)://host\(location)")?.requestTarget
        }
        if location.hasPrefix("?") {
            let path = request.path?.prefix { $0 != "?" } ?? "/"
            return URIParts("\(scheme)://host\(path)\(location)")?.requestTarget
        }
        guard let target = URIParts(location), target.userinfo == nil,
            let origin = URIParts("\(request.scheme ?? "")://\(request.authority ?? "")"), target.hasOrigin(origin)
        else { return nil }
        return target.requestTarget
    }
}
