// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth

/// An upload while it is carried out: begins, sends pieces, asks how much the server has after a failure, and begins again
/// if the server forgot it.
struct UploadRun {
    private let fetcher: AuthorizedFetcher
    private let upload: Upload
    private let progress: TransferProgress?
    private let keep: @Sendable (UploadState) async throws -> Void
    private var reader: UploadReader
    private var state: UploadState?

    /// What the server is known to have.
    private var received: Int64 = 0
    /// The most that it ever had of this session: only more is progress.
    private var furthest: Int64 = 0
    /// How much the server can have at most; all of it in a session that another program began.
    private var sent = Int64.max
    /// Whether the server can have the end.
    private var hasSentEnd = true
    /// Whether the server has to be asked how much it has.
    private var isInDoubt: Bool
    private var beginnings = 0
    private static let mostBeginnings = 5

    init(
        _ fetcher: AuthorizedFetcher,
        _ upload: Upload,
        from state: UploadState?,
        _ progress: TransferProgress?,
        _ keep: @escaping @Sendable (UploadState) async throws -> Void
    ) {
        self.fetcher = fetcher
        self.upload = upload
        self.progress = progress
        self.keep = keep
        self.reader = UploadReader(upload.source)
        self.state = state?.source == self.reader.fingerprint ? state : nil
        self.isInDoubt = self.state != nil
    }

    mutating func run() async throws -> (HTTPResponse, [UInt8]) {
        let fetcher = self.fetcher
        var budget = RetryBudget(of: fetcher, self.upload.options)
        var options = self.upload.options
        (options.hasToken, options.isIdempotent) = (false, true)
        while true {
            guard let state else {
                try await self.begin()
                continue
            }
            let target = try Self.request(to: state.sessionURI)
            let next = self.isInDoubt ? nil : try await self.nextPiece(state)
            let piece = next?.piece
            if let piece {
                self.sent = max(self.sent, piece.end)
                self.hasSentEnd = self.hasSentEnd || piece.isLast
            }
            let request =
                piece.map { self.upload.strategy.request(for: $0, to: target) }
                ?? self.upload.strategy.inquiry(length: self.reader.length, to: target)
            let body = next?.body ?? HTTPBody([])
            let end = try await fetcher.attempt(request, body, options, &budget) { response, budget in
                if response.status >= 400, budget.isSpent { throw await fetcher.error(of: response) }
                return try await self.take(response, to: piece, at: target, state, &budget)
            }
            guard let end else {
                self.isInDoubt = true
                continue
            }
            if let end { return end }
        }
    }

    /// Takes the response to a piece or an inquiry.
    ///
    /// - Returns: The API's response if the upload is complete.
    private mutating func take(
        _ response: AuthorizedResponse,
        to piece: UploadPiece?,
        at target: HTTPRequest,
        _ state: UploadState,
        _ budget: inout RetryBudget
    ) async throws -> (HTTPResponse, [UInt8])? {
        switch try self.upload.strategy.answer(response.head, to: piece) {
        case .complete:
            guard piece?.isLast ?? self.hasSentEnd else { throw UploadError(.nonsense) }
            return (response.head, try await response.body.collect(upTo: 16 << 20))
        case .active(let received, let place):
            await response.drain()
            if let place {
                let uri = try self.checked(Self.absolute(place, seenFrom: target))
                let moved = UploadState(sessionURI: uri, granularity: state.granularity, source: state.source)
                try await self.keep(moved)
                self.state = moved
            }
            try self.note(received, after: piece, &budget)
        case .gone:
            await response.drain()
            self.state = nil
        case .refused:
            throw await self.fetcher.error(of: response)
        }
        return nil
    }

    private mutating func begin() async throws {
        guard self.beginnings < Self.mostBeginnings else { throw UploadError(.forgotten) }
        self.beginnings += 1
        let request = try self.upload.strategy.beginning(of: self.upload, length: self.reader.length)
        var options = self.upload.options
        // The server forgets a session that is not used.
        options.isIdempotent = true
        let metadata = self.upload.metadata ?? HTTPBody([])
        let response = try await self.fetcher.call(request, metadata, options) { response, _ in response }
        guard 200...299 ~= response.status else { throw await self.fetcher.error(of: response) }
        await response.drain()
        let session = try self.upload.strategy.session(in: response.head)
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

    private mutating func nextPiece(_ state: UploadState) async throws -> (piece: UploadPiece, body: HTTPBody) {
        let granularity = Int64(max(1, state.granularity ?? self.upload.strategy.granularity))
        let usual: Int64 = self.reader.isSequence ? 8 << 20 : .max
        let wanted = self.upload.pieceSize.map { Int64($0) } ?? usual
        let count = wanted == .max ? wanted : max(granularity, wanted / granularity * granularity)
        let (progress, total) = (self.progress, self.reader.length)
        return try await self.reader.piece(at: self.received, count: count) { progress?.report($0, of: total) }
    }

    /// Notes how much the server has; nil if it does not say.
    ///
    /// - Throws: ``FailedAttempt`` if the server took nothing, or claims to have more than it was sent.
    private mutating func note(_ received: Int64?, after piece: UploadPiece?, _ budget: inout RetryBudget) throws {
        let most = piece?.end ?? min(self.sent, self.reader.length ?? .max)
        if let received, received <= most, received >= 0 {
            let hasMoved = received > self.received
            self.received = received
            self.progress?.report(received, of: self.reader.length)
            self.isInDoubt = false
            if received > self.furthest {
                self.furthest = received
                budget.renew(at: self.fetcher.runtime.uptime())
            }
            if hasMoved || piece == nil { return }
        }
        let outcome = CallFailure.Outcome.transport(TransportError(.connectionLost))
        throw FailedAttempt(outcome: outcome, error: UploadError(.nonsense))
    }

    /// Returns a session URI that may be called.
    ///
    /// One that may not be called must never be stored in a state.
    private func checked(_ uri: Secret) throws -> Secret {
        try Self.request(to: uri).check(within: self.fetcher.source.authorizedOrigins)
        return uri
    }

    /// Resolves a path of the same origin; other relative references (RFC 3986, section 4.2) are not used by servers.
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
            // The error would show a part of the URI.
            throw UploadError(.noSession)
        }
    }
}
