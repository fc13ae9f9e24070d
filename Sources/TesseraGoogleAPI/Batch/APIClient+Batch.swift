// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
