// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
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
        var listener: LoopbackListener?
    }

    private let gate: RedirectGate
    private let page: OneTimePage
    private let listener: LoopbackListener?
    private let directory: String
    private let state = Mutex(State())

    /// Creates a launch that has made nothing yet.
    ///
    /// - Parameters:
    ///   - gate: Rejects other users.
    ///   - page: The page that a listener shows.
    ///   - listener: A listener that shows the page. Without one the launch starts its own, if the page is needed.
    init(gate: RedirectGate, page: OneTimePage = OneTimePage(), listener: LoopbackListener? = nil) {
        self.gate = gate
        self.page = page
        self.listener = listener
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
    var isInUse: Bool { self.state.withLock { $0.file != nil || $0.listener != nil } }

    /// Removes what was made; a response on its way is finished.
    func end() async {
        self.page.withdraw()
        let (file, listener) = self.state.withLock { state in
            defer { state = State() }
            return (state.file, state.listener)
        }
        if let file { try? await BlockingExecutor.shared.run { file.remove() } }
        listener?.stop()
        await listener?.stopped()
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
        let listener =
            if let known = self.listener ?? self.state.withLock({ $0.listener }) {
                known
            } else {
                try LoopbackListener(gate: self.gate, page: self.page, receive: nil)
            }
        if self.listener == nil { self.state.withLock { $0.listener = listener } }
        return "http://\(listener.authority)\(self.page.offer(target))"
    }
}
