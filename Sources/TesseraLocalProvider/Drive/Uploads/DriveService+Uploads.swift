// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import TesseraOAuth
internal import TesseraSupport

extension DriveService {
    /// Begins an upload session for a new file, or for the bytes of one that is there.
    func begin(_ call: APICall) throws(APIFailure) -> EndpointResponse {
        let headers = call.request.headers
        let dialect = UploadDialect(headers)
        let prefix = dialect == .command ? "X-Goog-Upload-Content-" : "X-Upload-Content-"
        if dialect == .command {
            guard headers[named: "X-Goog-Upload-Command"]?.lowercased() == "start",
                headers[named: "X-Goog-Upload-Protocol"]?.lowercased() == "resumable"
            else { throw .badRequest("An upload begins with the protocol resumable and the command start.") }
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
        let (id, lost) = self.uploads.add(DriveUpload(call, metadata: metadata, total: total, temporary: temporary))
        if let lost { self.discard(lost) }
        return dialect.begun(id, baseURL: call.baseURL)
    }

    /// Ends an upload whose bytes are all there; once ended it gives the same answer again.
    func finish(_ upload: DriveUpload, at now: Date) throws(APIFailure) -> EndpointResponse {
        if let answer = upload.answer { return answer }
        var call = upload.call
        call.now = now
        let content =
            upload.temporary.map { NewContent.temporary($0, size: upload.received) } ?? .bytes(upload.memory)
        let answer = try self.metadata(call, of: try self.put(upload.metadata, content, call))
        upload.answer = answer
        return answer
    }

    func discard(_ upload: DriveUpload) {
        upload.close()
        if let temporary = upload.temporary, upload.answer == nil { self.directory?.remove(temporary.name) }
    }

    /// A declared length; -1 says that it is not known.
    private static func total(_ header: String?) throws(APIFailure) -> Int64? {
        guard let header, header != "-1" else { return nil }
        guard header.allSatisfy(\.isASCIIDigit), let total = Int64(header) else {
            throw .badRequest("The declared length is no number.")
        }
        return total
    }

    /// The session that a request is for; nil for every other request.
    static func session(_ request: Request) -> String? {
        guard ["/upload/drive/v3/files", "/resumable/upload/drive/v3/files"].contains(request.uri.path) else {
            return nil
        }
        return (try? FormParameters(received: request.uri.query ?? ""))?["upload_id"]
    }

    /// Answers a request to an upload session, whose address is the permission.
    func respond(
        to request: EndpointRequest,
        _ body: UploadBody,
        session id: String,
        _ fault: LocalProviderOptions.DriveFault,
        at now: Date
    ) async -> EndpointResponse {
        do {
            if let response = await self.queue.run({ self.response(to: request, session: id, fault) }) {
                try await body.drain()
                return response
            }
            guard let upload = self.uploads.upload(id) else {
                try await body.drain()
                return Self.unknownSession.response
            }
            var response = try await self.carryOut(request, body, upload, session: id, fault, at: now)
            response.isLost = fault == .lostAnswer
            if case .cutAnswer(let count) = fault { response.cutLength = Int(clamping: count) }
            return response
        } catch {
            return .lost
        }
    }

    /// The answer of a fault that takes nothing of the body; nil for the others.
    private func response(
        to request: EndpointRequest,
        session id: String,
        _ fault: LocalProviderOptions.DriveFault
    ) -> EndpointResponse? {
        guard let upload = self.uploads.upload(id) else { return Self.failure(fault)?.response }
        switch fault {
        case .sessionGone(let status):
            if let upload = self.uploads.remove(id) { self.discard(upload) }
            var failure = Self.unknownSession
            failure.status = HTTPResponse.Status(code: status)
            return failure.response
        case .movedSession where upload.answer == nil:
            self.uploads.remove(id)
            let (moved, lost) = self.uploads.add(upload)
            if let lost { self.discard(lost) }
            let dialect = UploadDialect(request.headers)
            let address = dialect.address(moved, baseURL: upload.call.baseURL)
            var response = dialect.active(received: upload.received)
            response.headers[named: dialect == .command ? "X-Goog-Upload-URL" : "Location"] = address
            return response
        default:
            return Self.failure(fault)?.response
        }
    }

    private func carryOut(
        _ request: EndpointRequest,
        _ body: UploadBody,
        _ upload: DriveUpload,
        session id: String,
        _ fault: LocalProviderOptions.DriveFault,
        at now: Date
    ) async throws -> EndpointResponse {
        let dialect = UploadDialect(request.headers)
        do {
            let step = try UploadStep(request, length: body.length)
            let intake = UploadIntake(upload: upload, queue: self.queue, fault: fault)
            var isFinished = upload.answer != nil
            switch step {
            case .cancel:
                try await body.drain()
                self.uploads.remove(id)
                await self.queue.run { self.discard(upload) }
                return dialect.cancelled
            case .query(let total):
                try await body.drain()
                guard upload.agrees(withTotal: total) else { throw UploadIntake.otherTotal }
                isFinished = isFinished || total == upload.received
            case .finish:
                try await body.drain()
                guard isFinished || upload.isComplete else { throw UploadIntake.incomplete }
                isFinished = true
            case .take where isFinished:
                try await body.drain()
            case .take(let first, let count, let total, let isLast):
                isFinished = try await intake.take(body, from: first, count: count, total: total, isLast: isLast)
            }
            if case .broken = fault { throw UploadBody.Broken() }
            if fault == .wrongRange { return dialect.active(received: upload.received + UploadDialect.granularity) }
            guard isFinished else { return dialect.active(received: upload.received) }
            let answer = try await self.queue.run { () throws(APIFailure) in try self.finish(upload, at: now) }
            return dialect.final(answer, received: upload.received)
        } catch let failure as APIFailure {
            try await body.drain()
            return dialect.refused(failure, received: upload.received)
        }
    }

    private static let unknownSession = APIFailure(.notFound, "notFound", "There is no such upload session.")
}

extension UploadBody {
    /// The body as it arrives.
    convenience init(_ request: Request, _ context: ProviderRequestContext) {
        let length = request.headers[.contentLength].flatMap { Int64($0) }
        let isChunked = request.headers[.transferEncoding] != nil
        let (body, channel) = (request.body, context.channel)
        self.init(length: isChunked ? length : length ?? 0) { take in
            for try await buffer in body { guard try await take(Array(buffer.readableBytesView)) else { return } }
            // A connection that ends looks like the body's end; only a named length would tell.
            guard !isChunked || channel?.isActive ?? true else { throw UploadBody.Broken() }
        }
    }
}
#endif
