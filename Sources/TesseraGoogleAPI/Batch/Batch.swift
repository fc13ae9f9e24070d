// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraJOSE
internal import TesseraOAuth

extension APIClient {
    /// Makes many calls of one method in few requests.
    ///
    /// They are sent in groups of as many as the API takes, one group after the other. A call that fails fails alone; one
    /// whose failure passes by itself is made again alone, as the fetcher's settings say. Uploads and downloads cannot be
    /// made so.
    ///
    /// - Parameter calls: of this client's API.
    /// - Returns: what came of each, in the same order.
    /// - Throws: what keeps all of them from being made: ``MissingScopeError``, `InvalidRequestError`, what the session and the
    ///   transport throw.
    public func batch<Request: APIRequest>(
        _ calls: [APICall<Request>]
    ) async throws -> [Result<Request.Response, any Error>] {
        let answers = try await Batch(self.service).send(try calls.map { try BatchPart($0) })
        return answers.map { $0.decoded(self.service) }
    }

    /// Makes several calls of different methods in one request.
    ///
    ///     let (file, about) = try await drive.batch(drive.files.get(fileId: id), drive.about.get())
    ///
    /// - Parameter calls: of this client's API.
    /// - Returns: what came of each.
    /// - Throws: as for calls of one method.
    public func batch<each Request: APIRequest>(
        _ calls: repeat APICall<each Request>
    ) async throws -> (repeat Result<(each Request).Response, any Error>) {
        var parts: [BatchPart] = []
        for call in repeat each calls { parts.append(try BatchPart(call)) }
        var answers = try await Batch(self.service).send(parts)[...]
        func next<R: APIRequest>(_ call: APICall<R>) -> Result<R.Response, any Error> {
            (answers.popFirst() ?? .failure(CancellationError())).decoded(self.service)
        }
        return (repeat next(each calls))
    }
}

extension Result where Success == [UInt8], Failure == any Error {
    fileprivate func decoded<Response: APIValue>(_ service: APIService) -> Result<Response, any Error> {
        self.flatMap { body in Result<Response, any Error> { try service.decode(body) } }
    }
}

/// Sends calls in groups, and those again whose failure passes.
///
/// - SeeAlso: [Batching requests](https://developers.google.com/workspace/drive/api/guides/performance#batch-requests)
struct Batch {
    private let service: APIService

    init(_ service: APIService) { self.service = service }

    func send(_ parts: [BatchPart]) async throws -> [Result<[UInt8], any Error>] {
        var answers = [Result<[UInt8], any Error>](repeating: .failure(Self.missing), count: parts.count)
        let limit = max(1, self.service.endpoint.batchLimit)
        for start in stride(from: 0, to: parts.count, by: limit) {
            try await self.send(parts, Array(start..<min(start + limit, parts.count)), &answers)
        }
        return answers
    }

    /// Sends a group until every part has succeeded or failed for good.
    private func send(
        _ parts: [BatchPart],
        _ group: [Int],
        _ answers: inout [Result<[UInt8], any Error>]
    ) async throws {
        let fetcher = self.service.fetcher
        var budget = RetryBudget(of: fetcher, CallOptions())
        var pending = group
        var mayReplaceToken = true
        while true {
            var (again, refused, longest) = ([Int](), [Int](), Duration.zero)
            let (received, response) = try await self.exchange(parts, pending)
            let token = response.token
            // One more failure, however many parts had it.
            let before = budget
            for place in pending {
                guard let part = received[place] else { continue }
                guard !part.isSuccess else {
                    answers[place] = .success(part.body)
                    continue
                }
                answers[place] = .failure(GoogleAPIError(part.response, body: part.body, without: response.secrets))
                if part.status == 401, token?.remedy(for: part.response, hasNonce: false) == .token {
                    refused.append(place)
                }
                var own = before
                let wait = own.wait(
                    of: fetcher,
                    after: .response(part.response, body: part.body),
                    to: parts[place].request,
                    CallOptions(isIdempotent: parts[place].isIdempotent)
                )
                guard let wait else { continue }
                again.append(place)
                longest = max(longest, wait)
                budget = own
            }
            if mayReplaceToken, !refused.isEmpty, let token {
                mayReplaceToken = false
                do {
                    if try await fetcher.source.refused(token) != token { again += refused }
                } catch let error as CancellationError {
                    throw error
                } catch {
                    for place in refused { answers[place] = .failure(error) }
                }
            }
            guard !again.isEmpty else { return }
            try await fetcher.runtime.clock.sleep(for: longest)
            pending = Set(again).sorted()
        }
    }

    /// The answers by the places of their parts, and what carried them.
    private func exchange(
        _ parts: [BatchPart],
        _ places: [Int]
    ) async throws -> (answers: [Int: BatchAnswer], response: AuthorizedResponse) {
        let boundary = "batch-" + self.service.fetcher.runtime.randomBytes(16).map { String($0, radix: 16) }.joined()
        var body: [UInt8] = []
        for place in places {
            body += Array("--\(boundary)\r\n".utf8) + parts[place].text(contentID: place) + Array("\r\n".utf8)
        }
        body += Array("--\(boundary)--\r\n".utf8)
        var message = APIMessage(
            request: try self.service.request(.post, target: self.service.path() + self.service.endpoint.batchPath),
            body: body
        )
        message.request.headerFields[.contentType] = "multipart/mixed; boundary=\(boundary)"
        message.request.headerFields[.accept] = "multipart/mixed"
        message.isIdempotent = places.allSatisfy { parts[$0].isIdempotent }
        let answer = try await self.service.exchange(message, options: CallOptions())
        let type = answer.response.head.headerFields[.contentType]
        return (try MultipartMixed.answers(in: answer.body, contentType: type, atMost: places.count), answer.response)
    }

    private static var missing: ProtocolViolationError {
        ProtocolViolationError(.apiBatch, expected: "an answer to each part", section: "RFC 2046, section 5.1")
    }
}
