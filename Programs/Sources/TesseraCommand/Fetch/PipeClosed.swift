// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Whoever read standard output has enough.
///
/// It is thrown through everything that still has to be put in order, a refresh's save above all; then the process ends
/// as every program in a pipe does.
struct PipeClosed: Error {
    /// Ends the process by SIGPIPE.
    static func end() -> Never {
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGPIPE)
        // A shell's number for that end, where the signal did not come through.
        exit(128 + SIGPIPE)
    }
}
