// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
package import Tessera
package import TesseraFetch
internal import TesseraStores

/// A file that goes up or comes down while a person looks, and can go on after an interruption.
package enum KeptTransfer {
    /// What an upload keeps for a later call.
    package typealias Keep = @Sendable (UploadState) async throws -> Void

    /// Uploads a file.
    ///
    /// - Parameters:
    ///   - file: its path.
    ///   - place: what tells this upload of the file from others, such as an address.
    ///   - account: who uploads it.
    ///   - resumes: whether what an earlier call left goes on.
    ///   - send: does it, from a state, and keeps the states that it comes to.
    /// - Returns: what `send` returned.
    /// - Throws: what `send` throws, with the words how it goes on.
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
            // What failed before it began has ended nothing.
            progress.finish()
            await shown
            throw TransferStopped.error(error, progress.latest, verb, canGoOn: canGoOn)
        }
    }
}

/// What is left of an upload that was interrupted, in a file for this user alone: the session URI in it is a secret.
struct KeptUpload: Sendable {
    private let directory: String
    private let path: String

    /// The one of this file to this address by this account; nil where no home directory is known.
    init?(of file: String, to url: String, by account: Account) {
        guard let directory = UserDirectories.data.map({ $0 + "/uploads" }) else { return nil }
        let words = [account.issuer, account.clientID, account.subject, url, file.absolutePath]
        self.directory = directory
        self.path = directory + "/" + PrivateFile.name(for: words.joined(separator: "\n")) + ".json"
    }

    /// What is left; nil where there is nothing that can be read.
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
