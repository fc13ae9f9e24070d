// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes

extension DriveService {
    /// The session that a request is for; nil for every other request.
    static func session(_ request: EndpointRequest) -> String? {
        guard ["/upload/drive/v3/files", "/resumable/upload/drive/v3/files"].contains(request.path) else { return nil }
        return (try? FormParameters(decoding: request.query))?["upload_id"]
    }

    /// Answers a request to an upload session, whose address is the permission.
    func respond(
        to request: EndpointRequest,
        session id: String,
        _ fault: LocalProviderOptions.DriveFault,
        at now: Date
    ) async -> EndpointResponse {
        let body = request.upload ?? UploadBody(request.body)
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
            if fault == .lostAnswer { response.isLost = true }
            if case .cutAnswer(let count) = fault { response.cutLength = count }
            return response
        } catch {
            var response = EndpointResponse(.internalServerError)
            response.isLost = true
            return response
        }
    }

    /// The answer of a fault that takes nothing of the body; nil for the others.
    private func response(
        to request: EndpointRequest,
        session id: String,
        _ fault: LocalProviderOptions.DriveFault
    ) -> EndpointResponse? {
        guard let upload = self.uploads.upload(id) else { return Self.response(to: fault) }
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
            return Self.response(to: fault)
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
            let answer = await self.queue.run { () -> Result<EndpointResponse, APIFailure> in
                Result { () throws(APIFailure) in try self.finish(upload, at: now) }
            }
            return dialect.final(try answer.get(), received: upload.received)
        } catch let failure as APIFailure {
            try await body.drain()
            return dialect.refused(failure, received: upload.received)
        }
    }

    private static let unknownSession = APIFailure(
        status: .notFound,
        reason: "notFound",
        message: "There is no such upload session."
    )
}
#endif
