// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The signals that ask a program to end.
enum Interruption {
    /// Waits for the first SIGINT or SIGTERM.
    ///
    /// A second one ends the program at once, as it always does.
    static func first() async {
        let numbers = [SIGINT, SIGTERM]
        let (signals, arrived) = AsyncStream.makeStream(of: Void.self)
        let sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { arrived.yield() }
            source.resume()
            return source
        }
        for await _ in signals { break }
        for source in sources { source.cancel() }
        for number in numbers { signal(number, SIG_DFL) }
    }
}
