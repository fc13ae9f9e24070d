// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera

/// The person's keyring on the session bus, behind a queue of its own: nothing else waits for it.
///
/// libsecret is opened with the first call, so that a program that never makes one pays nothing. A connection is kept
/// for the next call and made anew when it has failed: a keyring that was started again is found again.
package final class SecretService: Sendable {
    /// How long a call may take.
    package struct Limits: Sendable {
        let call: Duration
        /// Nil where nobody can be asked.
        let prompt: Duration?

        /// Ten seconds, and two minutes where a person is asked to unlock: only where a display is there.
        package static var usual: Limits {
            let hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].contains { SecretService.variable($0) != nil }
            return Limits(call: .seconds(10), prompt: hasDisplay ? .seconds(120) : nil)
        }

        package init(call: Duration, prompt: Duration?) {
            self.call = call
            self.prompt = prompt
        }
    }

    /// What errors call it.
    package static let place = StoreError.secretServicePlace
    /// The one that the process shares.
    package static let shared = SecretService()

    let executor = BlockingExecutor()
    private let library: String
    private let limits: Limits
    private let kept = Mutex<SecretServiceConnection?>(nil)

    /// The service of the session bus; `library` is what the dynamic linker is asked for.
    package init(library: String = "libsecret-1.so.0", limits: Limits = .usual) {
        self.library = library
        self.limits = limits
    }

    /// Does something with the service, on its queue.
    ///
    /// - Throws: ``StoreError`` `unavailable` where there is no library, no bus or no service, or it does not answer in
    ///   time; `locked`; `system`.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (borrowing SecretServiceConnection) throws -> Result
    ) async throws -> Result {
        try await self.executor.run { try self.runAtOnce(work) }
    }

    /// The same in this very thread, which waits.
    ///
    /// All that the work does may be done more than once: a connection that was kept may have died with its service, and
    /// a service may end while a new one is made, to be started again by the bus.
    func runAtOnce<Result>(
        _ work: (borrowing SecretServiceConnection) throws -> Result
    ) throws -> Result {
        try self.kept.withLock { kept in
            if let connection = kept.take() {
                do {
                    let result = try work(connection)
                    kept = consume connection
                    return result
                } catch let error as StoreError where error.code == .locked {
                    // A locked keyring answers: asking again would ask the person again.
                    throw error
                } catch {}
            }
            var mayRetry = true
            while true {
                do {
                    let connection = try self.connect()
                    let result = try work(connection)
                    kept = consume connection
                    return result
                } catch let error as StoreError where error.code == .system && mayRetry {
                    mayRetry = false
                }
            }
        }
    }

    private func connect() throws -> SecretServiceConnection {
        guard Self.hasSessionBus else {
            throw StoreError(
                .unavailable,
                place: Self.place,
                detail: "there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set"
            )
        }
        return try SecretServiceConnection(library: self.library, limits: self.limits)
    }

    /// Whether a session bus is named, or lies where systemd puts it.
    ///
    /// Else GLib would start one of its own, where there can be no keyring.
    private static var hasSessionBus: Bool {
        if Self.variable("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
        guard let directory = Self.variable("XDG_RUNTIME_DIR") else { return false }
        return access(directory + "/bus", F_OK) == 0
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
