// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraDefaults
package import TesseraOAuth

/// The network and the clock of the calls with AppAuth's names, which take neither.
package struct AppAuthWorld: Sendable {
    package let runtime: OAuthRuntime
    /// What is permitted beyond https.
    package let insecure: Insecure

    package init(runtime: OAuthRuntime, insecure: Insecure = []) {
        self.runtime = runtime
        self.insecure = insecure
    }

    /// The world of a task, for tests.
    @TaskLocal package static var ofTask: AppAuthWorld?

    private static let ofProcess = Mutex<AppAuthWorld?>(nil)

    static func use(_ world: AppAuthWorld) { self.ofProcess.withLock { $0 = world } }

    /// - Throws: `networkError` where the program has no transport.
    static func current() throws -> AppAuthWorld {
        if let world = self.ofTask ?? self.ofProcess.withLock({ $0 }) { return world }
        #if AsyncHTTPClient || canImport(Darwin)
        return self.ofProcess.withLock { world in
            let made = world ?? AppAuthWorld(runtime: OAuthRuntime(transport: PlatformDefaults.transport()))
            world = made
            return made
        }
        #else
        throw TransportError(.cannotConnect)
        #endif
    }
}
