// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TesseraUserAgents
internal import TesseraConsole

/// A user agent that acts as a browser and its user.
///
/// The redirect is still sent over HTTP to a real listener.
final class HeadlessBrowser: UserAgent {
    private let walk: ConsentWalk
    private let failure = Mutex<(any Error)?>(nil)

    init(_ walk: ConsentWalk) { self.walk = walk }

    func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        let browser = SystemBrowser(command: .none) { notice in
            Task { await self.visit(notice.url.absoluteString) }
        }
        let receiver = try await browser.makeRedirectReceiver(responseMode: responseMode)
        return RedirectReceiver(
            redirectURI: receiver.redirectURI,
            present: { url in try await receiver.present(url.absoluteString) },
            nextRedirect: {
                do {
                    return try await receiver.nextRedirect(until: RedirectDeadline(after: .seconds(10)))
                } catch {
                    throw self.failure.withLock { $0 } ?? error
                }
            },
            close: { await receiver.close() }
        )
    }

    private func visit(_ address: String) async {
        do {
            _ = try await self.walk.deliver(try await self.walk.redirect(from: address))
        } catch {
            self.failure.withLock { $0 = error }
        }
    }
}

/// A transport whose requests always fail, as if there were no network.
struct OfflineTransport: HTTPTransport {
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        throw TransportError(.cannotConnect, host: request.authority)
    }
}

/// A temporary directory for the demo.
struct TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "tessera-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        self.path = directory.path(percentEncoded: false)
    }

    func remove() { try? FileManager.default.removeItem(atPath: self.path) }
}
