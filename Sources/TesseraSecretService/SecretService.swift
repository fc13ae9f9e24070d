// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera

/// The user's keyring on the session bus, with a separate executor so that other work does not wait for it.
///
/// libsecret is loaded at the first call, so there is no overhead for programs that do not use the keyring. A
/// connection is reused until it fails and is then replaced, so that a restarted keyring is found again.
package final class SecretService: Sendable {
    /// Time limits for calls to the keyring.
    package struct Limits: Sendable {
        let call: Duration
        /// The limit while the user is being prompted, or nil if the user cannot be prompted.
        let prompt: Duration?

        /// The default limits, which are 10 seconds, or 2 minutes while a user with a display is prompted to unlock the
        /// keyring.
        package static var usual: Limits {
            let hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].contains { SecretService.variable($0) != nil }
            return Limits(call: .seconds(10), prompt: hasDisplay ? .seconds(120) : nil)
        }

        package init(call: Duration, prompt: Duration?) {
            self.call = call
            self.prompt = prompt
        }
    }

    /// The location to report in errors from the keyring.
    package static let location = StoreError.secretServiceLocation
    /// The instance shared by the process.
    package static let shared = SecretService()

    let executor = BlockingExecutor()
    private let library: String
    private let limits: Limits
    private let kept = Mutex<SecretServiceConnection?>(nil)

    /// Creates a client for the keyring on the session bus, with the name of the library to load.
    package init(library: String = "libsecret-1.so.0", limits: Limits = .usual) {
        self.library = library
        self.limits = limits
    }

    /// Runs work with a connection on the executor.
    ///
    /// - Throws: ``StoreError`` with the code `unavailable` if the library, bus or keyring is missing or does not
    ///   respond in time, `locked` if the keyring is locked, or `system` for any other failure.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (borrowing SecretServiceConnection) throws -> Result
    ) async throws -> Result {
        try await self.executor.run { try self.runBlocking(work) }
    }

    /// Runs work with a connection on the calling thread, which is blocked in the meantime.
    ///
    /// The work must be idempotent. It is repeated if a reused connection has failed because the keyring exited, or if
    /// the keyring exits while a new connection is being opened and is then restarted by the bus.
    func runBlocking<Result>(
        _ work: (borrowing SecretServiceConnection) throws -> Result
    ) throws -> Result {
        try self.kept.withLock { saved in
            if let connection = saved.take() {
                let start = ContinuousClock.now
                do {
                    let result = try work(connection)
                    saved = consume connection
                    return result
                } catch let error as StoreError where error.code == .locked {
                    // The keyring has responded, so retrying would prompt the user again.
                    throw error
                } catch let error as StoreError
                    where error.code == .unavailable && ContinuousClock.now - start >= self.limits.call
                {
                    // A keyring that has not responded in time would not respond to a new connection either.
                    throw error
                } catch {}
            }
            var mayRetry = true
            while true {
                do {
                    let connection = try self.connect()
                    let result = try work(connection)
                    saved = consume connection
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
                location: Self.location,
                detail: "there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set"
            )
        }
        return try SecretServiceConnection(library: self.library, limits: self.limits)
    }

    /// Whether a session bus is specified or exists at systemd's default path.
    ///
    /// Otherwise, GLib would start its own bus, which does not have a keyring.
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
