// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth

/// Where a redirect leads, as far as a token may follow it.
enum Redirect {
    /// The path and query of a redirect within the request's own origin, nil for anything else.
    ///
    /// An absolute URL, an absolute path or a query alone are followed; a path that is relative to the request's is not.
    /// Nor is any redirect of a method that is not safe to send anew.
    static func target(of response: HTTPResponse, to request: HTTPRequest) -> String? {
        guard [301, 302, 303, 307, 308].contains(response.status.code),
            request.method == .get || request.method == .head,
            let location = response.headerFields[.location]
        else { return nil }
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
