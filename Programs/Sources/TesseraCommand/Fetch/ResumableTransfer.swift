// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
package import Tessera
package import TesseraFetch
internal import TesseraStores

/// Transfers files with a progress display, and continues interrupted transfers.
package enum ResumableTransfer {
    /// A function that saves an upload's state for a later call.
    package typealias SaveState = @Sendable (UploadState) async throws -> Void

    /// Uploads a file.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - location: A string that identifies this upload, such as its URL.
    ///   - account: The account that the file is uploaded with.
    ///   - resumes: Whether to continue from the saved state of an earlier call.
    ///   - send: A closure that uploads the file from a state and saves each new state.
    /// - Returns: The result of `send`.
    /// - Throws: Any error that `send` throws, with advice on how to continue.
    package static func upload<Response: Sendable>(
        _ file: String,
        to location: String,
        by account: Account,
        resumes: Bool,
        _ send: (UploadState?, TransferProgress, @escaping SaveState) async throws -> Response
    ) async throws -> Response {
        let saved = SavedUpload(of: file, to: location, by: account)
        let state = resumes ? try await saved?.load() : nil
        let response = try await Self.show(file, "sent", canGoOn: saved != nil) { progress in
            try await send(state, progress) { state in try await saved?.save(state) }
        }
        try await saved?.remove()
        return response
    }

    /// Downloads to a file.
    package static func download<Response: Sendable>(
        to file: String,
        _ get: (TransferProgress) async throws -> Response
    ) async throws -> Response {
        try await Self.show(file, "received", canGoOn: true, get)
    }

    private static func show<Response: Sendable>(
        _ file: String,
        _ verb: String,
        canGoOn: Bool,
        _ transfer: (TransferProgress) async throws -> Response
    ) async throws -> Response {
        let display = TransferDisplay(String(file.split(separator: "/").last ?? "file"))
        let progress = TransferProgress()
        async let shown: Void = display.follow(progress)
        do {
            let response = try await transfer(progress)
            progress.finish()
            await shown
            return response
        } catch {
            // If the transfer fails before it starts, there is nothing to continue.
            progress.finish()
            await shown
            throw TransferStopped.error(error, progress.latest, verb, canGoOn: canGoOn)
        }
    }
}

/// The state of an interrupted upload, saved in a private file because its session URI is a secret.
struct SavedUpload: Sendable {
    private let directory: String
    private let path: String

    /// Creates a reference to the state of an upload, or nil if the home directory is unknown.
    init?(of file: String, to url: String, by account: Account) {
        guard let directory = UserDirectories.data.map({ $0 + "/uploads" }) else { return nil }
        let words = [account.issuer, account.clientID, account.subject, url, file.absolutePath]
        self.directory = directory
        self.path = directory + "/" + PrivateFile.name(for: words.joined(separator: "\n")) + ".json"
    }

    /// Returns the saved state, or nil if it is missing or unreadable.
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

/// Adds the progress and advice on how to continue to the error from an incomplete transfer.
enum TransferStopped {
    /// - Parameters:
    ///   - error: The error that ended the transfer.
    ///   - step: The progress.
    ///   - verb: What happened to the bytes: "sent" or "received". The server may not have accepted all bytes that were
    ///     sent.
    ///   - canGoOn: Whether the transfer can be continued.
    /// - Returns: The error, with the progress and advice on how to continue if possible.
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
