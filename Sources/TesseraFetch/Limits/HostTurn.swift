// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Synchronization

/// A call's turn at a host, until it is ended or nobody has it any more.
final class HostTurn: Sendable {
    private let limiter: HostLimiter
    private let host: String
    private let isOver = Atomic(false)

    init(_ limiter: HostLimiter, _ host: String) {
        self.limiter = limiter
        self.host = host
    }

    deinit { self.end() }

    func end() {
        if !self.isOver.exchange(true, ordering: .relaxed) { self.limiter.leave(self.host) }
    }
}
