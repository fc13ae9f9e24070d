// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && CommandLine
internal import Dispatch
internal import TesseraSupport
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// SIGINT and SIGTERM: the first cancels, the second ends the process at once, as it always does.
final class Interruption: Sendable {
    private let isInterrupted = Mutex(false)

    /// Whether a signal came.
    var happened: Bool { self.isInterrupted.withLock { $0 } }

    /// Watches until the process ends.
    init(_ cancel: @escaping @Sendable () -> Void) {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The source is kept by its own handler.
            source.setEventHandler {
                source.cancel()
                signal(number, SIG_DFL)
                self.isInterrupted.withLock { $0 = true }
                cancel()
            }
            source.resume()
        }
    }
}
#endif
