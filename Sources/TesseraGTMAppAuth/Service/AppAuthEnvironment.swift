// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraDefaults
package import TesseraOAuth
internal import TesseraSupport

/// The network and the clock of the calls with AppAuth's names, which take neither.
package struct AppAuthEnvironment: Sendable {
    package let runtime: OAuthRuntime
    /// The permissions in addition to https.
    package let insecure: Insecure

    package init(runtime: OAuthRuntime, insecure: Insecure = []) {
        self.runtime = runtime
        self.insecure = insecure
    }

    /// The environment of a task, for tests.
    @TaskLocal package static var ofTask: AppAuthEnvironment?

    private static let ofProcess = Mutex<AppAuthEnvironment?>(nil)

    static func use(_ environment: AppAuthEnvironment) { self.ofProcess.withLock { $0 = environment } }

    /// - Throws: `networkError` where the program has no transport.
    static func current() throws -> AppAuthEnvironment {
        if let environment = self.ofTask ?? self.ofProcess.withLock({ $0 }) { return environment }
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || AsyncHTTPClient
        return self.ofProcess.withLock { environment in
            let made = environment ?? AppAuthEnvironment(runtime: OAuthRuntime(transport: PlatformDefaults.transport()))
            environment = made
            return made
        }
        #else
        throw TransportError(.cannotConnect)
        #endif
    }
}
