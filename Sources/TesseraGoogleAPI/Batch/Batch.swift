// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraJOSE
internal import TesseraOAuth

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
