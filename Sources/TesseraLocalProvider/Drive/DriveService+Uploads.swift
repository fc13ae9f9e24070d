// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraJOSE
internal import TesseraSupport

extension DriveService {
    /// Starts an upload session for a new file or for the content of an existing one.
    func begin(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        let headers = call.request.headers
        let dialect = UploadDialect(headers)
        let prefix = dialect == .command ? "X-Goog-Upload-Content-" : "X-Upload-Content-"
        if dialect == .command {
            guard headers[named: "X-Goog-Upload-Command"]?.lowercased() == "start",
                headers[named: "X-Goog-Upload-Protocol"]?.lowercased() == "resumable"
            else { throw .badRequest("An upload must start with the protocol resumable and the command start.") }
        }
        var metadata = try call.metadata()
        metadata.take(mediaType: headers[named: prefix + "Type"])
        let total = try Self.total(headers[named: prefix + "Length"])
        if self.directory == nil, total ?? 0 > DriveUpload.memoryLimit { throw DriveUpload.tooLarge }
        if call.itemID == nil {
            _ = try self.checkNew(metadata, call)
        } else {
            try self.checkReplaceable(try self.visibleFile(call), metadata, call)
        }
        let temporary = try self.directory?.temporary()
        let id = self.save(DriveUpload(call, metadata: metadata, total: total, temporary: temporary))
        return dialect.begun(id, baseURL: call.baseURL)
    }

    /// Parses a declared length, where -1 means unknown.
    private static func total(_ header: String?) throws(APIFailure) -> Int64? {
        guard let header, header != "-1" else { return nil }
        guard header.allSatisfy(\.isASCIIDigit), let total = Int64(header) else {
            throw .badRequest("The declared length is not a number.")
        }
        return total
    }

    func upload(_ id: String) -> DriveUpload? { self.uploads.withLock { $0.entry(id) } }

    /// Saves a session under a random identifier.
    ///
    /// If there are too many sessions, the oldest one is removed.
    func save(_ upload: DriveUpload) -> String {
        let id = Base64URL.encode(self.randomBytes(32))
        for lost in self.uploads.withLock({ $0.set(id, upload) }) { self.discard(lost) }
        return id
    }

    private func remove(_ id: String) { _ = self.uploads.withLock { $0.remove(id) } }

    private func discard(_ upload: DriveUpload) {
        upload.close()
        if let temporary = upload.temporary, upload.response == nil { self.directory?.remove(temporary.name) }
    }

    /// Handles a request to an upload session.
    ///
    /// Any client that knows the session's URL is authorized.
    func respond(
        to request: ProviderRequest,
        _ body: UploadBody,
        session id: String,
        _ fault: LocalProviderOptions.DriveFault,
        at now: Date
    ) async -> ProviderResponse {
        do {
            guard let upload = self.upload(id) else {
                try await body.drain()
                return (Self.failure(fault) ?? Self.unknownSession).response
            }
            let dialect = UploadDialect(request.headers)
            if let response = try await self.executor.run({ self.response(of: fault, upload, session: id, dialect) }) {
                try await body.drain()
                return response
            }
            var response: ProviderResponse
            do {
                response = try await self.carryOut(request, body, upload, session: id, fault, at: now)
            } catch let failure as APIFailure {
                try await body.drain()
                response = dialect.refused(failure, received: upload.received)
            }
            response.isLost = fault == .lostResponse
            if case .truncatedResponse(let count) = fault { response.cutLength = Int(clamping: count) }
            return response
        } catch {
            return .lost
        }
    }

    /// Returns the response for a fault that causes no part of the body to be accepted, or `nil` for other faults.
    private func response(
        of fault: LocalProviderOptions.DriveFault,
        _ upload: DriveUpload,
        session id: String,
        _ dialect: UploadDialect
    ) -> ProviderResponse? {
        switch fault {
        case .sessionGone(let status):
            self.remove(id)
            self.discard(upload)
            var failure = Self.unknownSession
            failure.status = HTTPResponse.Status(code: status)
            return failure.response
        case .movedSession where upload.response == nil:
            self.remove(id)
            let address = dialect.address(self.save(upload), baseURL: upload.call.baseURL)
            var response = dialect.active(received: upload.received)
            response.headers[named: dialect == .command ? "X-Goog-Upload-URL" : "Location"] = address
            return response
        default:
            return Self.failure(fault)?.response
        }
    }

    private func carryOut(
        _ request: ProviderRequest,
        _ body: UploadBody,
        _ upload: DriveUpload,
        session id: String,
        _ fault: LocalProviderOptions.DriveFault,
        at now: Date
    ) async throws -> ProviderResponse {
        let dialect = UploadDialect(request.headers)
        let step = try UploadStep(request, length: body.length)
        var isFinished = upload.response != nil
        if case .take(let chunk) = step, !isFinished {
            isFinished = try await self.take(chunk, of: body, into: upload, fault)
        } else {
            try await body.drain()
        }
        switch step {
        case .cancel:
            self.remove(id)
            try await self.executor.run { self.discard(upload) }
            return dialect.cancelled
        case .query(let total):
            guard upload.agrees(withTotal: total) else { throw Self.otherTotal }
            isFinished = isFinished || total == upload.received
        case .finish:
            guard isFinished || upload.isComplete else { throw Self.incomplete }
            isFinished = true
        case .take:
            break
        }
        if case .broken = fault { throw UploadBody.Broken() }
        if fault == .wrongRange { return dialect.active(received: upload.received + UploadDialect.granularity) }
        guard isFinished else { return dialect.active(received: upload.received) }
        let response = try await self.executor.run { try self.finish(upload, at: now) }
        return dialect.final(response, received: upload.received)
    }

    /// Receives as much of the body as the fault allows, and returns whether the upload is complete.
    private func take(
        _ chunk: UploadStep.Chunk,
        of body: UploadBody,
        into upload: DriveUpload,
        _ fault: LocalProviderOptions.DriveFault
    ) async throws -> Bool {
        let granularity = UploadDialect.granularity
        guard upload.agrees(withTotal: chunk.total) else { throw Self.otherTotal }
        guard chunk.isLast || (chunk.count ?? 0) % granularity == 0 else {
            throw APIFailure.badRequest("The size of each chunk except the last must be a multiple of 256 KiB.")
        }
        guard chunk.first <= upload.received else {
            throw APIFailure.badRequest("The chunk leaves a gap after the \(upload.received) bytes received so far.")
        }
        let limit: Int64 =
            switch fault {
            case .partial(let limit): max(0, limit / granularity * granularity)
            case .broken(let limit): max(0, limit)
            default: .max
            }
        let turn = upload.beginTaking(total: chunk.total)
        var taken: Int64 = 0
        var isShort = false
        try await body.read { bytes in
            let piece = bytes.prefix(Int(clamping: min(limit, chunk.count ?? .max) - taken))
            let position = chunk.first + taken
            taken += Int64(piece.count)
            if !piece.isEmpty {
                let isTaken = try await self.executor.run { try upload.append(piece, at: position, turn: turn) }
                guard isTaken else { throw UploadBody.Broken() }
            }
            isShort = isShort || piece.count < bytes.count
            if isShort, case .broken = fault { throw UploadBody.Broken() }
            return true
        }
        guard chunk.isLast, !isShort, taken == chunk.count ?? taken else { return false }
        guard chunk.first + taken == upload.received, upload.isComplete else { throw Self.incomplete }
        return fault != .wrongRange
    }

    /// Completes an upload after all bytes have been received.
    ///
    /// Further calls return the same response.
    private func finish(_ upload: DriveUpload, at now: Date) throws(APIFailure) -> ProviderResponse {
        if let response = upload.response { return response }
        var call = upload.call
        call.now = now
        let content =
            upload.temporary.map { NewContent.temporary($0, size: upload.received) } ?? .bytes(upload.memory)
        let response = self.metadata(call, of: try self.put(upload.metadata, content, call))
        upload.response = response
        return response
    }

    private static let unknownSession = APIFailure(.notFound, "notFound", "The upload session does not exist.")
    private static let otherTotal = APIFailure.badRequest("The total length does not match an earlier request.")
    private static let incomplete = APIFailure.badRequest(
        "The length of the upload does not match the declared length."
    )
}
#endif
