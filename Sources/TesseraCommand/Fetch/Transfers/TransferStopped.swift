// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import TesseraFetch
internal import TesseraOAuth

/// What is said of a transfer that did not come to its end: above all that it can go on.
enum TransferStopped {
    static func error(_ error: any Error, _ step: TransferProgress.Step?, canGoOn: Bool) -> any Error {
        guard canGoOn, let step, step.completed > 0 else { return error }
        let amount = step.total.map { "\(TransferLine.size(step.completed)) of \(TransferLine.size($0))" }
        let done = "\(amount ?? TransferLine.size(step.completed)) done"
        if error is CancellationError {
            return CommandError(
                "interrupted",
                "Interrupted with \(done)",
                "The same command with --resume goes on from there.",
                status: .interrupted
            )
        }
        guard let failure = error as? TransportError else { return error }
        return CommandError(
            failure.code.description,
            "\(failure.description), with \(done)",
            "The same command with --resume goes on from there.",
            status: .network
        )
    }
}
#endif
