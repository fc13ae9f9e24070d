// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
package import Tessera
package import TesseraFetch
internal import TesseraStores

/// A transfer of a file with a progress display, which can continue after an interruption.
package enum KeptTransfer {
    /// The state that an upload saves for a later call.
    package typealias Keep = @Sendable (UploadState) async throws -> Void

    /// Uploads a file.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - place: The identity of this upload of the file, such as its URL.
    ///   - account: The account that uploads it.
    ///   - resumes: Whether to continue from the saved state of an earlier call.
    ///   - send: Uploads from a state, and saves each new state.
    /// - Returns: The result of `send`.
    /// - Throws: The errors of `send`, with advice on how to continue.
    package static func upload<Answer: Sendable>(
        _ file: String,
        to place: String,
        by account: Account,
        resumes: Bool,
        _ send: (UploadState?, TransferProgress, @escaping Keep) async throws -> Answer
    ) async throws -> Answer {
        let kept = KeptUpload(of: file, to: place, by: account)
        let state = resumes ? try await kept?.load() : nil
        let answer = try await Self.show(file, "sent", canGoOn: kept != nil) { progress in
            try await send(state, progress) { state in try await kept?.save(state) }
        }
        try await kept?.remove()
        return answer
    }

    /// Downloads to a file.
    package static func download<Answer: Sendable>(
        to file: String,
        _ get: (TransferProgress) async throws -> Answer
    ) async throws -> Answer {
        try await Self.show(file, "received", canGoOn: true, get)
    }

    private static func show<Answer: Sendable>(
        _ file: String,
        _ verb: String,
        canGoOn: Bool,
        _ transfer: (TransferProgress) async throws -> Answer
    ) async throws -> Answer {
        let display = TransferDisplay(String(file.split(separator: "/").last ?? "file"))
        let progress = TransferProgress()
        async let shown: Void = display.follow(progress)
        do {
            let answer = try await transfer(progress)
            progress.finish()
            await shown
            return answer
        } catch {
            // A failure before the start leaves nothing to continue.
            progress.finish()
            await shown
            throw TransferStopped.error(error, progress.latest, verb, canGoOn: canGoOn)
        }
    }
}

/// The state of an interrupted upload, in a private file because its session URI is a secret.
struct KeptUpload: Sendable {
    private let directory: String
    private let path: String

    /// Creates a reference to the state of a file's upload, or nil if the home directory is unknown.
    init?(of file: String, to url: String, by account: Account) {
        guard let directory = UserDirectories.data.map({ $0 + "/uploads" }) else { return nil }
        let words = [account.issuer, account.clientID, account.subject, url, file.absolutePath]
        self.directory = directory
        self.path = directory + "/" + PrivateFile.name(for: words.joined(separator: "\n")) + ".json"
    }

    /// The saved state, or nil if it is missing or unreadable.
    func load() async throws -> UploadState? {
        try await FileBytes.blocking {
            guard let bytes = try PrivateFile.contents(of: self.path, limit: 1 << 16) else { return nil }
            return try? JSONDecoder().decode(UploadState.self, from: Data(bytes))
        }
    }

    func save(_ state: UploadState) async throws {
        let bytes = Array(try JSONEncoder().encode(state))
        try await FileBytes.blocking {
            try PrivateFile.makeDirectory(self.directory)
            try PrivateFile.write(bytes, to: self.path)
        }
    }

    func remove() async throws {
        try await FileBytes.blocking { try PrivateFile.remove(self.path) }
    }
}

/// Returns the error of an incomplete transfer, with advice on how to continue.
enum TransferStopped {
    /// - Parameters:
    ///   - error: The error that ended it.
    ///   - step: The progress.
    ///   - verb: What happened to these bytes. The server may not have accepted all sent bytes.
    ///   - canGoOn: Whether the state to continue was saved.
    /// - Returns: The error, with the progress and how to continue if possible.
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
                "Run the same command with --resume to continue.",
                status: .interrupted
            )
        }
        let report = ErrorReport(error)
        let goesOn = "Run the same command with --resume to continue."
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
