// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraSupport

/// One redirect on its way to one socket; blocks.
struct RedirectDelivery {
    private let redirect: String
    private let path: String

    init(of redirect: String, to path: String) {
        self.redirect = redirect
        self.path = path
    }

    /// Whether the program there took it.
    ///
    /// A dead program's socket is removed.
    func run() -> Bool {
        let request = LoopbackRequest(method: "POST", target: "/", body: Array(self.redirect.utf8))
        do throws(LoopbackError) {
            return try LocalExchange.send(request, to: self.path, timeout: .seconds(5), limit: 4_096).status == 200
        } catch {
            if error.isSocketDead { try? FileSystem.remove(self.path) }
            return false
        }
    }
}
