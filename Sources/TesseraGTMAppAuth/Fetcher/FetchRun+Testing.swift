// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation
internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraSupport

/// Responses from a test's closure.
extension FetchRun {
    /// Returns the response that the app's test closure supplies, or nil to send the request.
    ///
    /// An `AuthSession` does not authorize the request, because it might have to refresh its token.
    func simulated(_ request: URLRequest, _ body: HTTPBody?) async throws -> (HTTPResponse?, FetchResult)? {
        let (global, state) = (GTMSessionFetcher.globalTest(), try self.activeState())
        guard state.settings.testBlock != nil || global.block != nil else { return nil }
        let authorized = try await self.authorized(request, state.settings.authorizer)
        self.update { $0.sentRequest = authorized }
        let fetcher = self.fetcher
        // A test can simulate a server that never responds, and release the closure.
        let retained = Mutex<(@Sendable (SimulatedResponse?) -> Void)?>(nil)
        let answer: SimulatedResponse? = await self.ask(otherwise: nil) { state, decide in
            retained.withLock { $0 = decide }
            (state.settings.testBlock ?? global.block)?(fetcher) {
                decide(SimulatedResponse(response: $0, data: $1, error: $2))
            }
        }
        retained.withLock { $0 = nil }
        try self.activeState()
        guard let answer, answer.response != nil || answer.data != nil || answer.error != nil else { return nil }
        if let body { for try await _ in body {} }
        let head = answer.head
        if let error = answer.error {
            self.update { state in
                state.response = answer.response
                state.responseHeaders = head?.canonicalFields
            }
            return (head, FetchResult(data: answer.data, error: error))
        }
        let parts = (answer.data ?? Data()).parts(self.state.testBlockAccumulateDataChunkCount)
        let content = HTTPBody(length: Int64(answer.data?.count ?? 0), isReplayable: true) {
            var rest = parts[...]
            return { rest.popFirst() }
        }
        var result = try await self.received(head, answer.response, content)
        if answer.data == nil { result.data = nil }
        return (head, result)
    }
}

/// The values that a test's closure supplied.
private struct SimulatedResponse: Sendable {
    let response: HTTPURLResponse?
    let data: Data?
    let error: (any Error)?

    var head: HTTPResponse? {
        self.response.map { response in
            // A status has at most three digits.
            var head = HTTPResponse(status: HTTPResponse.Status(code: min(max(response.statusCode, 0), 999)))
            for (name, value) in response.allHeaderFields {
                guard let name = (name as? String).flatMap({ HTTPField.Name($0) }) else { continue }
                head.headerFields[name] = "\(value)"
            }
            return head
        }
    }
}

extension Data {
    /// Returns a number of parts of nearly equal length, or one part if there are fewer bytes or the number is 0.
    ///
    /// Without bytes, there are no parts.
    fileprivate func parts(_ count: UInt) -> [[UInt8]] {
        guard !self.isEmpty else { return [] }
        let count = Int(clamping: count)
        guard count > 1, self.count >= count else { return [Array(self)] }
        let bytes = Array(self)
        return (0..<count)
            .map { index in Array(bytes[bytes.count * index / count..<bytes.count * (index + 1) / count]) }
    }
}
