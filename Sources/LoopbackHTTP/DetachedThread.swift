// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX

/// A thread for work that blocks for a long time.
package final class DetachedThread: Sendable {
    private let run: @Sendable () -> Void

    private init(_ run: @escaping @Sendable () -> Void) { self.run = run }

    /// Runs `body` on a new thread.
    ///
    /// - Returns: 0 on success, or the error number if the thread could not be created, in which case `body` does not
    ///   run.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
        let thread = Unmanaged.passRetained(DetachedThread(body))
        let failure = tessera_start_thread(
            { context in
                guard let context else { return }
                Unmanaged<DetachedThread>.fromOpaque(context).takeRetainedValue().run()
            },
            thread.toOpaque()
        )
        if failure != 0 { thread.release() }
        return failure
    }
}
