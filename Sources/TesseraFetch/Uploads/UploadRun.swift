// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth

/// An upload while it is carried out: begins, sends pieces, asks how far it is after any doubt, and begins again where
/// the server forgot it.
struct UploadRun {
    let fetcher: AuthorizedFetcher
    let upload: Upload
    let progress: TransferProgress?
    let keep: @Sendable (UploadState) async throws -> Void
    var reader: UploadReader
    var state: UploadState?
    var patience: Patience

    /// What the server is known to have.
    private var received: Int64 = 0
    /// The most that it ever had of this session: only what goes beyond it is progress.
    private var furthest: Int64 = 0
    /// How much it can have at most, and whether it can have the end; all, in a session that another program began.
    private var sent = Int64.max
    private var hasSentEnd = true
    /// Whether it has to be asked first.
    private var isInDoubt: Bool
    private var beginnings = 0
    private static let mostBeginnings = 5

    init(
        _ fetcher: AuthorizedFetcher,
        _ upload: Upload,
        from state: UploadState?,
        _ progress: TransferProgress?,
        _ keep: @escaping @Sendable (UploadState) async throws -> Void
    ) async throws {
        self.fetcher = fetcher
        self.upload = upload
        self.progress = progress
        self.keep = keep
        self.reader = try await UploadReader(upload.source)
        self.state = state?.source == self.reader.fingerprint ? state : nil
        self.isInDoubt = self.state != nil
        self.patience = Patience(of: fetcher, upload.options)
    }

    /// What an exchange with the server came to.
    private enum Outcome {
        case answered(UploadAnswer, Answer)
        case failed(CallFailure.Outcome, any Error)
    }

    mutating func run() async throws -> (HTTPResponse, [UInt8]) {
        while true {
            guard let state else {
                try await self.begin()
                continue
            }
            let target = try Self.request(to: state.sessionURI)
            let piece = self.isInDoubt ? nil : try await self.nextPiece(state)
            if let piece { self.note(piece.piece) }
            let request =
                piece.map { self.upload.strategy.request(for: $0.piece, to: target) }
                ?? self.upload.strategy.inquiry(length: self.reader.length, to: target)
            switch try await self.exchange(request, piece) {
            case .answered(.complete, let answer):
                guard piece?.piece.isLast ?? self.hasSentEnd else { throw UploadFailure(.nonsense) }
                do {
                    return (answer.response, try await answer.body.collect(upTo: 16 << 20))
                } catch let error as TransportError {
                    // It can be asked for once more.
                    try await self.wait(after: .transport(error), request, orThrow: error)
                }
            case .answered(.active(let received, let place), let answer):
                await AuthorizedFetcher.drain(answer.body)
                if let place { try await self.move(to: Self.absolute(place, seenFrom: target), state) }
                try await self.take(received, after: piece?.piece, request)
            case .answered(.gone, let answer):
                await AuthorizedFetcher.drain(answer.body)
                self.state = nil
            case .answered(.refused, let answer):
                throw await answer.failure(at: self.fetcher.runtime.now(), self.fetcher.settings)
            case .failed(let outcome, let error):
                try await self.wait(after: outcome, request, orThrow: error)
            }
        }
    }

    private mutating func begin() async throws {
        guard self.beginnings < Self.mostBeginnings else { throw UploadFailure(.forgotten) }
        self.beginnings += 1
        let request = try self.upload.strategy.beginning(of: self.upload, length: self.reader.length)
        var options = self.upload.options
        // A session that nobody uses is forgotten.
        options.isIdempotent = true
        let answer = try await self.fetcher.call(request, self.upload.metadata ?? HTTPBody([]), options) { $0 }
        guard 200...299 ~= answer.status else {
            throw await answer.failure(at: self.fetcher.runtime.now(), self.fetcher.settings)
        }
        await AuthorizedFetcher.drain(answer.body)
        let session = try self.upload.strategy.session(in: answer.response)
        let state = UploadState(
            sessionURI: try self.checked(Self.absolute(session.uri, seenFrom: request)),
            granularity: session.granularity,
            source: self.reader.fingerprint
        )
        try await self.keep(state)
        (self.state, self.received, self.isInDoubt) = (state, 0, false)
        (self.furthest, self.sent, self.hasSentEnd) = (0, 0, false)
        self.progress?.report(0, of: self.reader.length)
    }

    private mutating func note(_ piece: UploadPiece) {
        self.sent = max(self.sent, piece.end)
        self.hasSentEnd = self.hasSentEnd || piece.isLast
    }

    private mutating func nextPiece(_ state: UploadState) async throws -> (piece: UploadPiece, body: HTTPBody) {
        let granularity = Int64(max(1, state.granularity ?? self.upload.strategy.granularity))
        let usual: Int64 = self.reader.isSequence ? 8 << 20 : .max
        let wanted = self.upload.pieceSize.map { Int64($0) } ?? usual
        let count = wanted == .max ? wanted : max(granularity, wanted / granularity * granularity)
        let (progress, total) = (self.progress, self.reader.length)
        return try await self.reader.piece(at: self.received, count: count) { progress?.report($0, of: total) }
    }

    /// One request and what its answer says.
    private func exchange(
        _ request: HTTPRequest,
        _ piece: (piece: UploadPiece, body: HTTPBody)?
    ) async throws -> Outcome {
        do {
            let body = piece?.body ?? HTTPBody([])
            var answer = try await self.fetcher.attempt(request, body, self.upload.options, hasToken: false)
            guard answer.status >= 400 else {
                return .answered(try self.upload.strategy.answer(answer.response, to: piece?.piece), answer)
            }
            let judged = try await self.fetcher.judgedBody(of: &answer)
            let outcome = CallFailure.Outcome.response(answer.response, body: judged)
            if self.fetcher.passes(outcome, request) {
                return .failed(outcome, await answer.failure(at: self.fetcher.runtime.now(), self.fetcher.settings))
            }
            return .answered(try self.upload.strategy.answer(answer.response, to: piece?.piece), answer)
        } catch let error as TransportError {
            return .failed(.transport(error), error)
        }
    }

    /// The server says what it has; nil where it does not.
    private mutating func take(_ received: Int64?, after piece: UploadPiece?, _ request: HTTPRequest) async throws {
        // More than it was sent: it is asked once more.
        let most = piece?.end ?? min(self.sent, self.reader.length ?? .max)
        if let received, received <= most, received >= 0 {
            let hasMoved = received > self.received
            self.received = received
            self.progress?.report(received, of: self.reader.length)
            self.isInDoubt = false
            if received > self.furthest {
                self.furthest = received
                self.patience.renew(at: self.fetcher.runtime.uptime())
            }
            if hasMoved || piece == nil { return }
        }
        // A server that takes nothing is as good as one that does not answer.
        let error = UploadFailure(.nonsense)
        try await self.wait(after: .transport(TransportError(.connectionLost)), request, orThrow: error)
    }

    private mutating func move(to place: Secret, _ old: UploadState) async throws {
        let place = try self.checked(place)
        let state = UploadState(sessionURI: place, granularity: old.granularity, source: old.source)
        try await self.keep(state)
        self.state = state
    }

    private mutating func wait(
        after outcome: CallFailure.Outcome,
        _ request: HTTPRequest,
        orThrow error: any Error
    ) async throws {
        self.isInDoubt = true
        let wait = self.patience.wait(of: self.fetcher, after: outcome, to: request, isIdempotent: true)
        guard let wait else { throw error }
        try await self.fetcher.runtime.clock.sleep(for: wait)
    }

    /// Returns a session URI that may be called.
    ///
    /// One that may not be called must never be stored in a state.
    private func checked(_ uri: Secret) throws -> Secret {
        try self.fetcher.check(try Self.request(to: uri))
        return uri
    }

    /// A path of the same origin, RFC 3986, section 4.2, as far as anybody uses it.
    private static func absolute(_ uri: Secret, seenFrom request: HTTPRequest) -> Secret {
        uri.withUnredacted { text in
            guard text.hasPrefix("/"), !text.hasPrefix("//") else { return uri }
            return Secret("\(request.scheme ?? "https")://\(request.authority ?? "")\(text)")
        }
    }

    static func request(to sessionURI: Secret) throws -> HTTPRequest {
        do {
            return try sessionURI.withUnredacted { try HTTPRequest(method: .put, url: $0) }
        } catch {
            // What is wrong with it would show a part of it.
            throw UploadFailure(.noSession)
        }
    }
}
