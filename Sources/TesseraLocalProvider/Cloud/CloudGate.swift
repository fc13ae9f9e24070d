// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TesseraJSON

/// Maps requests for Google's hosts to the provider's own paths, records them, and applies faults.
@available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
struct CloudGate: Sendable {
    private static let bodyLimit = 256 << 10
    private static let metadataHosts: Set = [
        "metadata.google.internal", "metadata.google.internal.", "metadata", "169.254.169.254", "[fd20:ce::254]",
        "[fd00:ec2::254]",
    ]
    /// The first labels of the hosts whose endpoints have their own paths.
    private static let services: Set = ["sts", "iamcredentials", "cloudresourcemanager"]
    /// The first labels of the hosts whose endpoints the provider serves at the same paths.
    private static let sharedServices: Set = ["oauth2", "www", "accounts", "openidconnect", "gmail"]

    let service: ProviderService

    /// Returns the response to a request for a cloud endpoint, or `nil` for any other request.
    func response(
        to request: Request,
        _ context: ProviderRequestContext,
        routes: some HTTPResponder<ProviderRequestContext>
    ) async throws -> Response? {
        guard let (target, host, original) = self.target(of: request.head) else { return nil }
        var head = request.head
        (head.path, head.authority) = (target, self.service.ownAuthority)
        let path = String(target.prefix { $0 != "?" })
        // Uploads and downloads have no limit, so they are not recorded.
        guard !DriveService.isDrive(path), !GmailService.isGmail(path), !CalendarService.isCalendar(path) else {
            return try await routes.respond(to: Request(head: head, body: request.body), context: context)
        }
        let body: [UInt8]
        do {
            body = try await request.wholeBody(upTo: Self.bodyLimit)
        } catch let error as any EndpointFailure {
            return try error.response(from: request, context: context)
        }
        let record = LocalCloudRequest(
            method: request.method,
            host: host,
            target: original,
            headers: head.headerFields,
            body: body
        )
        let fault = self.service.withState { state -> LocalProviderOptions.CloudFault in
            state.cloud?.record(record)
            guard let endpoint = LocalProviderOptions.CloudEndpoint(path),
                let fault = state.behavior.cloudFaults[endpoint]?.first
            else { return .none }
            state.behavior.cloudFaults[endpoint]?.removeFirst()
            return fault
        }
        let routed = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
        switch fault {
        case .none:
            return try await routes.respond(to: routed, context: context)
        case .status(let code, let retryAfter, let body):
            return try Self.failure(code, retryAfter, body).response(from: request, context: context)
        case .noResponse:
            // The task sleeps until the server stops and cancels it.
            try await Task.sleep(for: .seconds(86_400))
            throw LostResponse()
        case .lostResponse:
            _ = try await routes.respond(to: routed, context: context)
            throw LostResponse()
        case .truncatedResponse:
            let response: Response
            do {
                response = try await routes.respond(to: routed, context: context)
            } catch let error as any HTTPResponseError {
                response = try error.response(from: routed, context: context)
            }
            return response.cut(after: (response.body.contentLength ?? 2) / 2, context)
        }
    }

    private static func failure(_ code: Int, _ retryAfter: Int?, _ body: String?) -> ProviderResponse {
        let status = HTTPResponse.Status(code: code)
        var response = APIFailure(status, "backendError", "A test requested this error.").response
        if let body { response.content = .bytes(Array(body.utf8)) }
        response.headers[.retryAfter] = retryAfter.map(String.init)
        return response
    }

    /// Returns the provider's own path and query for a request, along with the host and target that the client meant.
    private func target(of head: HTTPRequest) -> (target: String, host: String, original: String)? {
        let authority = head.authority ?? ""
        var (host, target) = (authority, head.path ?? "/")
        let isOurs = self.service.isOurs(authority)
        // A website whose name leads to this server must not be mistaken for Google.
        if !isOurs, !self.isCloud(authority) { return nil }
        if isOurs, target.hasPrefix("/cloud/") {
            let rest = target.dropFirst("/cloud/".count)
            let name = rest.prefix { $0 != "/" && $0 != "?" }
            (host, target) = (String(name), String(rest.dropFirst(name.count)))
            if !target.hasPrefix("/") { target = "/" + target }
            guard Self.prefix(host) != nil else { return nil }
        }
        let path = target.prefix { $0 != "?" }
        let query = target.dropFirst(path.count)
        if let prefix = Self.prefix(host) {
            // Directories of the metadata server end with a slash, but each of the provider's addresses has only one
            // spelling.
            let end = path.hasSuffix("/") && !prefix.isEmpty ? path.dropLast() : path
            return (prefix + end + query, host, target)
        }
        let isMetadata =
            path.hasPrefix("/computeMetadata/") || path.hasPrefix("/latest/")
            || path == "/" && head.headerFields[named: ProviderState.metadataFlavor] != nil
        if isOurs, isMetadata {
            return ("/cloud/metadata" + (path.hasSuffix("/") ? path.dropLast() : path) + query, host, target)
        }
        return isOurs && ["/subject-token", "/token"].contains(path) ? (target, host, target) : nil
    }

    /// Whether a host belongs to Google or AWS, or to the configured universe.
    private func isCloud(_ authority: String) -> Bool {
        let host = Self.host(authority)
        let universe = self.service.withState { $0.cloud?.options.universeDomain } ?? "googleapis.com"
        let domains = ["googleapis.com", "google.com", "gstatic.com", "amazonaws.com", universe]
        return Self.metadataHosts.contains(host) || domains.contains { host.hasSuffix("." + $0) }
    }

    private static func host(_ authority: String) -> String {
        authority.replacing(/:[0-9]+$/, with: "").lowercased()
    }

    /// Returns the prefix of the provider's own paths for a host of Google or AWS in any universe, or `nil` for other
    /// hosts.
    private static func prefix(_ authority: String) -> String? {
        let host = Self.host(authority)
        if Self.metadataHosts.contains(host) { return "/cloud/metadata" }
        let labels = host.split(separator: ".")
        guard labels.count > 2, let first = labels.first else { return nil }
        if host == "www.gstatic.com" { return "/cloud/gstatic" }
        // Regional endpoints have names such as `europe-west1-iamcredentials`.
        let name = first.split(separator: "-").last.map(String.init) ?? ""
        if Self.services.contains(name) { return "/cloud/\(name)" }
        return Self.sharedServices.contains(String(first)) ? "" : nil
    }
}
#endif
