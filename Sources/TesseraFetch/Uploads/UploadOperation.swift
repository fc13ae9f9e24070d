// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth

/// The state machine of an upload in progress.
///
/// The operation begins the upload and sends the pieces. After a failure, it asks the server how many bytes it has
/// received. If the server has lost the upload, the operation starts over.
struct UploadOperation {
    private let fetcher: AuthorizedFetcher
    private let upload: Upload
    private let progress: TransferProgress?
    private let save: @Sendable (UploadState) async throws -> Void
    private var reader: UploadReader
    private var state: UploadState?

    /// The number of bytes that the server has confirmed.
    private var received: Int64 = 0
    /// The largest number of bytes that the server has confirmed in this session.
    ///
    /// The budget is renewed only when this number grows.
    private var furthest: Int64 = 0
    /// The maximum number of bytes that the server can have, which is unlimited if another program began the session.
    private var sent = Int64.max
    /// Whether the end of the source may have reached the server.
    private var hasSentEnd = true
    /// Whether the server must be asked how many bytes it has.
    private var isInDoubt: Bool
    private var beginnings = 0
    private static let mostBeginnings = 5

    init(
        _ fetcher: AuthorizedFetcher,
        _ upload: Upload,
        from state: UploadState?,
        _ progress: TransferProgress?,
        _ save: @escaping @Sendable (UploadState) async throws -> Void
    ) {
        self.fetcher = fetcher
        self.upload = upload
        self.progress = progress
        self.save = save
        self.reader = UploadReader(upload.source)
        self.state = state?.source == self.reader.fingerprint ? state : nil
        self.isInDoubt = self.state != nil
    }

    mutating func run() async throws -> (HTTPResponse, [UInt8]) {
        let fetcher = self.fetcher
        var budget = RetryBudget(of: fetcher, self.upload.options, isTransfer: true)
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

    /// Processes the response to a piece or an inquiry.
    ///
    /// - Returns: The API's response if the upload is complete.
    private mutating func take(
        _ response: AuthorizedResponse,
        to piece: UploadPiece?,
        at target: HTTPRequest,
        _ state: UploadState,
        _ budget: inout RetryBudget
    ) async throws -> (HTTPResponse, [UInt8])? {
        switch try self.upload.strategy.interpret(response.head, to: piece) {
        case .complete:
            guard piece?.isLast ?? self.hasSentEnd else { throw UploadError(.invalidResponse) }
            // A piece that is sent as one chunk has not been reported yet.
            if let length = self.reader.length { self.progress?.report(length, of: length) }
            return (response.head, try await response.body.collect(upTo: 16 << 20))
        case .active(let received, let location):
            await response.drain()
            if let location {
                let uri = try self.checked(Self.absolute(location, seenFrom: target))
                let moved = UploadState(sessionURI: uri, granularity: state.granularity, source: state.source)
                try await self.save(moved)
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
        guard self.beginnings < Self.mostBeginnings else { throw UploadError(.sessionExpired) }
        guard self.beginnings == 0 || self.upload.metadata?.isReplayable ?? true else {
            throw UploadError(.cannotRewind)
        }
        self.beginnings += 1
        let request = try self.upload.strategy.beginning(of: self.upload, length: self.reader.length)
        var options = self.upload.options
        // Beginning again is harmless, because servers discard unused sessions.
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
        try await self.save(state)
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

    /// Records how many bytes the server has, or that the response does not say (nil).
    ///
    /// - Throws: ``FailedAttempt`` if the server accepted no bytes or claims to have more than were sent.
    private mutating func note(_ received: Int64?, after piece: UploadPiece?, _ budget: inout RetryBudget) throws {
        let most = piece?.end ?? min(self.sent, self.reader.length ?? .max)
        if let received, received <= most, received >= 0 {
            let hasMoved = received > self.received
            self.received = received
            self.progress?.report(received, of: self.reader.length)
            self.isInDoubt = false
            if received > self.furthest {
                self.furthest = received
                budget.renew()
            }
            if hasMoved || piece == nil { return }
        }
        let cause = CallFailure.Cause.transport(TransportError(.connectionLost))
        throw FailedAttempt(cause: cause, error: UploadError(.invalidResponse))
    }

    /// Returns a session URI after checking that its origin is authorized.
    ///
    /// A state must never contain an unauthorized URI.
    private func checked(_ uri: Secret) throws -> Secret {
        try Self.request(to: uri).check(within: self.fetcher.source.authorizedOrigins)
        return uri
    }

    /// Resolves a path against the origin of a request.
    ///
    /// Servers do not use other relative references (RFC 3986, section 4.2).
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
            // The original error would contain a part of the secret URI.
            throw UploadError(.noSession)
        }
    }
}
