// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import LoopbackHTTP
internal import Tessera
internal import TesseraSupport

/// Leads a browser to an address that other users of the machine must not see.
///
/// Every user can read the command line of every process, and whoever knows the `state` of a sign-in can complete it with
/// another account. So the program that opens the browser gets the address of a page that leads on: a file that only this
/// user can read, or a page of a listener that only this user can request, and only once.
final class BrowserLaunch: Sendable {
    private struct State {
        var file: LaunchFile?
        var server: LoopbackServer?
    }

    private let gate: RedirectGate
    private let page: OneTimePage
    private let authority: String?
    private let directory: String
    private let state = Mutex(State())

    /// Creates a launch that has made nothing yet.
    ///
    /// - Parameters:
    ///   - gate: What keeps other users from a listener.
    ///   - page: The page that a listener shows.
    ///   - authority: The host and port of a listener that shows the page. Without one the launch starts its own, if the
    ///     page is needed.
    init(gate: RedirectGate, page: OneTimePage = OneTimePage(), authority: String? = nil) {
        self.gate = gate
        self.page = page
        self.authority = authority
        self.directory = UserPlaces.current.launchDirectory
    }

    /// The address to open in place of `url`, for a program that opens a browser.
    ///
    /// - Throws: `SignInError` `noBrowser`, `noListener`.
    func address(of url: URL, for program: String, environment: [String: String]) async throws -> String {
        let target = url.absoluteString
        let directory = self.directory
        try? await BlockingExecutor.shared.run { LaunchFile.removeStale(in: directory) }
        let prefersFile =
            switch OpenerKind(program, environment: environment) {
            case .ordinary: true
            // Any browser can open a page of the listener, but only the gate keeps others from it.
            case .unknown: !self.gate.isClosed
            case .confined: false
            }
        if prefersFile {
            do {
                return try await self.fileAddress(target)
            } catch {
                guard self.gate.isClosed else { throw error }
            }
        }
        return try self.pageAddress(target)
    }

    /// Whether a page waits for the browser.
    var isInUse: Bool { self.state.withLock { $0.file != nil || $0.server != nil } }

    /// Removes what was made; a response on its way is finished.
    func end() async {
        self.page.withdraw()
        let (file, server) = self.state.withLock { state in
            defer { state = State() }
            return (state.file, state.server)
        }
        if let file { try? await BlockingExecutor.shared.run { file.remove() } }
        server?.stop()
        await server?.stopped()
    }

    private func fileAddress(_ target: String) async throws -> String {
        if let file = self.state.withLock({ $0.file }) { return file.address }
        let directory = self.directory
        let file = try await BlockingExecutor.shared.run {
            try LaunchFile.create(LaunchPage(target: target).html, in: directory)
        }
        self.state.withLock { $0.file = file }
        return file.address
    }

    private func pageAddress(_ target: String) throws -> String {
        if let authority { return "http://\(authority)\(self.page.offer(target))" }
        if let server = self.state.withLock({ $0.server }) { return server.baseURL + self.page.offer(target) }
        let (gate, page, authority) = (self.gate, self.page, LateValue<String>())
        do throws(LoopbackError) {
            let server = try LoopbackServer.start(on: .either, peers: gate.lookup) { request in
                gate.rejection(of: request) ?? page.response(to: request, authority: authority.value ?? "")
                    ?? .text(status: 404, "Not found.\n")
            }
            authority.set("\(server.host):\(server.port)")
            self.state.withLock { $0.server = server }
            return server.baseURL + page.offer(target)
        } catch {
            throw SignInError(.noListener, detail: "\(error)")
        }
    }
}
