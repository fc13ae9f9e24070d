// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraJOSE
internal import TesseraOAuth

extension APIClient {
    /// Performs many calls of the same method in as few requests as possible.
    ///
    /// The calls are sent one group at a time, and each group is as large as the API permits. Each call succeeds or
    /// fails independently, and calls with temporary failures are retried according to the fetcher's settings. If a
    /// request fails after an earlier one has succeeded, the calls without a result fail with its error. Batch requests
    /// do not support uploads and downloads.
    ///
    /// - Parameter calls: The calls, which must be for this client's API.
    /// - Returns: The results in the order of the calls.
    /// - Throws: An error that affects all calls before any has a result, which is ``MissingScopeError``, `InvalidRequestError`, or any error
    ///   that the session or the transport throws.
    public func batch<Request: APIRequest>(
        _ calls: [APICall<Request>]
    ) async throws -> [Result<Request.Response, any Error>] {
        let responses = try await Batch(self.service).send(try calls.map { try BatchPart($0) })
        return responses.map { $0.decoded(self.service) }
    }

    /// Performs several calls of different methods in one request.
    ///
    ///     let (file, about) = try await drive.batch(drive.files.get(fileId: id), drive.about.get())
    ///
    /// - Parameter calls: The calls, which must be for this client's API.
    /// - Returns: The results in the order of the calls.
    /// - Throws: An error that affects all calls before any has a result, which is ``MissingScopeError``, `InvalidRequestError`, or any error
    ///   that the session or the transport throws.
    public func batch<each Request: APIRequest>(
        _ calls: repeat APICall<each Request>
    ) async throws -> (repeat Result<(each Request).Response, any Error>) {
        var parts: [BatchPart] = []
        for call in repeat each calls { parts.append(try BatchPart(call)) }
        var responses = try await Batch(self.service).send(parts)[...]
        func next<R: APIRequest>(_ call: APICall<R>) -> Result<R.Response, any Error> {
            (responses.popFirst() ?? .failure(CancellationError())).decoded(self.service)
        }
        return (repeat next(each calls))
    }
}

extension Result where Success == [UInt8], Failure == any Error {
    fileprivate func decoded<Response: APIValue>(_ service: APIService) -> Result<Response, any Error> {
        self.flatMap { body in Result<Response, any Error> { try service.decode(body) } }
    }
}

/// Sends calls in groups and retries those with temporary failures.
///
/// - SeeAlso: [Batching requests](https://developers.google.com/workspace/drive/api/guides/performance#batch-requests)
struct Batch {
    private let service: APIService

    init(_ service: APIService) { self.service = service }

    func send(_ parts: [BatchPart]) async throws -> [Result<[UInt8], any Error>] {
        var responses = [Result<[UInt8], any Error>?](repeating: nil, count: parts.count)
        let limit = max(1, self.service.endpoint.batchLimit)
        var failure: (any Error)?
        for start in stride(from: 0, to: parts.count, by: limit) where failure == nil {
            do {
                try await self.send(parts, Array(start..<min(start + limit, parts.count)), &responses)
            } catch let error as CancellationError {
                throw error
            } catch {
                // The results of calls that have been performed must not be lost.
                guard responses.contains(where: { $0 != nil }) else { throw error }
                failure = error
            }
        }
        return responses.map { $0 ?? .failure(failure ?? Self.missing) }
    }

    /// Sends a group of calls until each call has succeeded or failed permanently.
    private func send(
        _ parts: [BatchPart],
        _ group: [Int],
        _ responses: inout [Result<[UInt8], any Error>?]
    ) async throws {
        let fetcher = self.service.fetcher
        var budget = RetryBudget(of: fetcher, CallOptions())
        var pending = group
        var mayReplaceToken = true
        while true {
            var (again, refused, longest) = ([Int](), [Int](), Duration.zero)
            let (received, response) = try await self.exchange(parts, pending)
            let token = response.token
            // Count only one more failure, regardless of how many parts failed.
            let before = budget
            for location in pending {
                guard let part = received[location] else { continue }
                guard !part.isSuccess else {
                    responses[location] = .success(part.body)
                    continue
                }
                responses[location] = .failure(
                    GoogleAPIError(part.response, body: part.body, without: response.secrets)
                )
                if part.status == 401, token?.remedy(for: part.response, hasNonce: false) == .token {
                    refused.append(location)
                }
                var own = before
                let wait = own.wait(
                    of: fetcher,
                    after: .response(part.response, body: part.body),
                    to: parts[location].request,
                    CallOptions(isIdempotent: parts[location].isIdempotent)
                )
                guard let wait else { continue }
                again.append(location)
                longest = max(longest, wait)
                budget = own
            }
            if mayReplaceToken, !refused.isEmpty, let token {
                mayReplaceToken = false
                do {
                    if try await fetcher.source.replacement(forRejected: token) != token { again += refused }
                } catch let error as CancellationError {
                    throw error
                } catch {
                    for location in refused { responses[location] = .failure(error) }
                }
            }
            guard !again.isEmpty else { return }
            try await fetcher.runtime.clock.sleep(for: longest)
            pending = Set(again).sorted()
        }
    }

    /// Sends calls in a batch request and returns the enclosing response and the responses, keyed by the index of their
    /// call.
    private func exchange(
        _ parts: [BatchPart],
        _ places: [Int]
    ) async throws -> (responses: [Int: BatchPartResponse], response: AuthorizedResponse) {
        let boundary = "batch-" + self.service.fetcher.runtime.randomBytes(16).map { String($0, radix: 16) }.joined()
        var body: [UInt8] = []
        for location in places {
            body += Array("--\(boundary)\r\n".utf8) + parts[location].text(contentID: location) + Array("\r\n".utf8)
        }
        body += Array("--\(boundary)--\r\n".utf8)
        var message = APIMessage(
            request: try self.service.request(.post, target: self.service.path() + self.service.endpoint.batchPath),
            body: body
        )
        message.request.headerFields[.contentType] = "multipart/mixed; boundary=\(boundary)"
        message.request.headerFields[.accept] = "multipart/mixed"
        message.isIdempotent = places.allSatisfy { parts[$0].isIdempotent }
        let response = try await self.service.exchange(message, options: CallOptions())
        let type = response.response.head.headerFields[.contentType]
        let responses = try MultipartMixed.responses(in: response.body, contentType: type, atMost: places.count)
        return (responses, response.response)
    }

    private static var missing: ProtocolViolationError {
        ProtocolViolationError(.apiBatch, expected: "a response for each part", section: "RFC 2046, section 5.1")
    }
}
