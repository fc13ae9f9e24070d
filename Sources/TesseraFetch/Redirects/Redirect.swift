// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth

/// A redirect that may be followed.
struct Redirect {
    /// What is sent next.
    let request: HTTPRequest
    /// Whether it goes to another origin: it has no credentials then.
    let leavesOrigin: Bool

    /// What a stranger may be told.
    private static let harmless: [HTTPField.Name] = [
        .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .ifModifiedSince, .ifNoneMatch, .ifRange, .range,
        .userAgent,
    ]

    /// The redirect of an answer; nil where there is none, or where it is not followed.
    ///
    /// An absolute URL, an absolute path or a query alone are followed; a path that is relative to the request's is not.
    /// Nor is any redirect of a method other than `GET` and `HEAD`.
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
        if location.hasPrefix("/"), !location.hasPrefix("//") {
            return URIParts("\(request.scheme ?? "https")://host\(location)")?.requestTarget
        }
        if location.hasPrefix("?") {
            let path = request.path?.prefix { $0 != "?" } ?? "/"
            return URIParts("\(request.scheme ?? "https")://host\(path)\(location)")?.requestTarget
        }
        guard let target = URIParts(location), target.userinfo == nil, target.scheme == request.scheme,
            let origin = URIParts("\(request.scheme ?? "")://\(request.authority ?? "")"), target.host == origin.host,
            target.effectivePort == origin.effectivePort
        else { return nil }
        return target.requestTarget
    }
}
