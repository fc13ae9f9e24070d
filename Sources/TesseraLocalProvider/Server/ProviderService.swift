// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraSupport

/// The endpoints with their memory: one request value in, one response value out.
final class ProviderService: Sendable {
    let options: LocalProviderOptions
    private let state: Mutex<ProviderState>
    private let drive: DriveService
    private let gmail: GmailService

    init(options: LocalProviderOptions) throws {
        self.options = options
        self.state = Mutex(try ProviderState(options: options))
        self.drive = try DriveService(options: options)
        self.gmail = GmailService(options: options)
    }

    func withState<Result: Sendable>(_ body: (inout sending ProviderState) -> sending Result) -> sending Result {
        self.state.withLock(body)
    }

    /// The wall clock in seconds since 1970.
    func now() -> Int64 {
        Int64(exactly: max(-1e12, min(1e12, self.options.now().timeIntervalSince1970)).rounded(.down)) ?? 0
    }

    /// The largest body that the endpoint takes.
    static func bodyLimit(for path: String) -> Int {
        if DriveService.isUpload(path) { return 64 << 20 }
        return BatchMessage.isBatch(path) || GmailService.isGmail(path) ? 48 << 20 : 256 << 10
    }

    /// Answers a request.
    func respond(to request: EndpointRequest) async -> EndpointResponse {
        guard self.isOurs(request.authority) else {
            return .text(
                "This provider answers for \(self.withState { $0.baseURL }) only.",
                status: .misdirectedRequest
            )
        }
        if BatchMessage.isBatch(request.path) {
            if let hook = self.withState({ $0.behaviour.beforeAnswer }) { await hook(request.path) }
            return await self.respond(toBatch: request)
        }
        return await self.answer(request)
    }

    /// Answers a request that is for this provider: one that came alone, or a part of a batch.
    func answer(_ request: EndpointRequest) async -> EndpointResponse {
        if let hook = self.withState({ $0.behaviour.beforeAnswer }) { await hook(request.path) }
        let isAPI = DriveService.isDrive(request.path) || GmailService.isGmail(request.path)
        let request = isAPI ? request.unfolded : request
        if DriveService.isDrive(request.path) {
            let (fault, authorization) = self.withState { state in
                (state.nextDriveFault(), state.driveAuthorization(request, at: self.now()))
            }
            if let session = DriveService.session(request) {
                return await self.drive.respond(to: request, session: session, fault, at: self.options.now())
            }
            return await self.drive.respond(to: request, authorization, fault, at: self.options.now())
        }
        if GmailService.isGmail(request.path) {
            let authorization = self.withState { $0.gmailAuthorization(request, at: self.now()) }
            return self.gmail.respond(to: request, authorization, at: self.options.now())
        }
        return self.withState { $0.respond(to: request, at: self.now()) }
    }

    /// Whether a request means this server: a page elsewhere whose name was made to point here must not reach it.
    private func isOurs(_ host: String?) -> Bool {
        guard let host else { return false }
        if ["0.0.0.0", "::"].contains(self.options.host) { return true }
        let authority = self.withState { $0.baseURL }.drop { $0 != "/" }.dropFirst(2)
        let port = authority.split(separator: ":", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        let ours = [String(authority), "127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
        return ours.contains(host.lowercased())
    }
}
#endif
