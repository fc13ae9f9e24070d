// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraFetch

/// What is said of a transfer that did not come to its end: above all that it can go on.
enum TransferStopped {
    /// - Parameters:
    ///   - error: what ended it.
    ///   - step: how far it came.
    ///   - verb: what became of these bytes. What was sent, a server need not have taken.
    ///   - canGoOn: whether what is needed for that is kept.
    /// - Returns: the error, with how far it came and how it goes on where it can.
    static func error(
        _ error: any Error,
        _ step: TransferProgress.Step?,
        _ verb: String,
        canGoOn: Bool
    ) -> any Error {
        guard canGoOn, let step, step.completed > 0 else { return error }
        let amount = step.total.map { "\(TransferLine.size(step.completed)) of \(TransferLine.size($0))" }
        let done = "\(amount ?? TransferLine.size(step.completed)) \(verb)"
        if error is CancellationError {
            return CommandError(
                "interrupted",
                "Interrupted with \(done)",
                "The same command with --resume goes on from there.",
                status: .interrupted
            )
        }
        let report = ErrorReport(error)
        let goesOn = "The same command with --resume goes on from there."
        let advice: String
        switch report.status {
        case .network: advice = goesOn
        case .signInNeeded: advice = "\(report.recoverySuggestion) \(goesOn)"
        default: return error
        }
        return CommandError(
            report.code,
            "\(report.message), with \(done)",
            advice,
            status: report.status,
            endsSession: report.endsSession
        )
    }
}
