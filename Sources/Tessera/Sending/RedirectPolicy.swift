// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth

/// Which redirects of `GET` and `HEAD` requests are followed.
///
/// Within the origin the call is sent on unchanged. Elsewhere it goes without the token, over https only, and with no
/// other fields than those that any server may see (`Accept`, `Range`, `If-Range`, `User-Agent` and the like). After that
/// no request of the call has the token again.
///
/// - SeeAlso: [RFC 9110, section 15.4](https://www.rfc-editor.org/rfc/rfc9110.html#section-15.4)
public struct RedirectPolicy: Sendable, Hashable {
    /// How many redirects of one call are followed; the next one is returned.
    public var limit: Int
    /// Whether redirects to another origin are followed.
    public var leavesOrigin: Bool

    /// Creates a policy.
    public init(limit: Int, leavesOrigin: Bool) {
        self.limit = limit
        self.leavesOrigin = leavesOrigin
    }

    /// Returns every redirect to the caller.
    public static let none = RedirectPolicy(limit: 0, leavesOrigin: false)
    /// Follows up to five redirects within the origin.
    public static let sameOrigin = RedirectPolicy(limit: 5, leavesOrigin: false)
    /// Follows up to five redirects, wherever they lead.
    public static let anywhere = RedirectPolicy(limit: 5, leavesOrigin: true)
}

/// A redirect that may be followed.
struct HTTPRedirect {
    /// The next request.
    let request: HTTPRequest
    /// Whether it goes to another origin, and so without credentials.
    let leavesOrigin: Bool

    /// What another origin may see.
    private static let harmless: [HTTPField.Name] = [
        .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .ifModifiedSince, .ifNoneMatch, .ifRange, .range,
        .userAgent,
    ]

    /// Reads the redirect of a response; nil if there is none, or if it is not followed.
    ///
    /// An absolute URL, an absolute path and a query alone are followed; a path relative to the request's is not.
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

    /// The path and query of a redirect within the request's own origin.
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
