// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A call's turn at a host, until it is ended or nobody has it any more.
final class HostTurn: Sendable {
    private let limiter: HostLimiter
    private let host: String
    private let isOver = Mutex(false)

    init(_ limiter: HostLimiter, _ host: String) {
        self.limiter = limiter
        self.host = host
    }

    deinit { self.end() }

    func end() {
        let isFirst = self.isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { self.limiter.leave(self.host) }
    }
}
