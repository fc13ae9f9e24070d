// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraDefaults
package import TesseraOAuth
internal import TesseraSupport

/// The transport and clock for AppAuth's API, which has no parameters for them.
package struct AppAuthEnvironment: Sendable {
    package let runtime: OAuthRuntime
    /// The insecure connections that are permitted.
    package let insecure: Insecure

    /// Whether the transport is the platform's default, which permits only https.
    private var isDefault = false

    package init(runtime: OAuthRuntime, insecure: Insecure = []) {
        self.runtime = runtime
        self.insecure = insecure
    }

    /// Returns the transport for a request that the app permits.
    ///
    /// If neither the app nor a test has set a transport, http requests to this machine use a separate one.
    func transport(for request: HTTPRequest) throws -> any HTTPTransport {
        guard self.isDefault, request.scheme == "http" else { return self.runtime.transport }
        return Self.loopbackTransport.withLock { transport in
            let current = transport ?? PlatformDefaults.transport(insecure: .loopbackHTTP)
            transport = current
            return current
        }
    }

    private static let loopbackTransport = Mutex<(any HTTPTransport)?>(nil)

    /// The environment of the current task, for tests.
    @TaskLocal package static var ofTask: AppAuthEnvironment?

    private static let ofProcess = Mutex<AppAuthEnvironment?>(nil)

    static func use(_ environment: AppAuthEnvironment) { self.ofProcess.withLock { $0 = environment } }

    /// Returns the environment of the task or the process.
    ///
    /// If necessary, it is created with the platform's transport.
    ///
    /// - Throws: `TransportError` if the platform has no transport.
    static func current() throws -> AppAuthEnvironment {
        if let environment = self.ofTask ?? self.ofProcess.withLock({ $0 }) { return environment }
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || AsyncHTTPClient
        return self.ofProcess.withLock { environment in
            if let environment { return environment }
            var current = AppAuthEnvironment(runtime: OAuthRuntime(transport: PlatformDefaults.transport()))
            current.isDefault = true
            environment = current
            return current
        }
        #else
        throw TransportError(.cannotConnect)
        #endif
    }

    /// Returns the environment's time, or the system's time if the platform has no transport and thus no environment.
    static func now() -> Date { (try? self.current().runtime.now()) ?? Date() }
}
