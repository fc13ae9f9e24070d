// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Holds whoever wants to pass until it is opened, and tells when somebody waits: for tests that must not sleep.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var hasArrived = false
        var held: [CheckedContinuation<Void, Never>] = []
        var observers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// A closed gate.
    public init() {}

    /// Returns when the gate is open.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let ready = self.state.withLock { state in
                var ready = state.observers
                state.observers = []
                state.hasArrived = true
                if state.isOpen { ready.append(continuation) } else { state.held.append(continuation) }
                return ready
            }
            for continuation in ready { continuation.resume() }
        }
    }

    /// Returns when somebody has come to the gate.
    public func arrival() async {
        await withCheckedContinuation { continuation in
            let isThere = self.state.withLock { state in
                if !state.hasArrived { state.observers.append(continuation) }
                return state.hasArrived
            }
            if isThere { continuation.resume() }
        }
    }

    /// Opens the gate for everybody, now and later.
    public func open() {
        let held = self.state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}
