// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

extension OAuthRuntime {
    /// Sends one message of the protocol and reads its whole answer: at most 1 MiB, within `deadline`.
    ///
    /// - Throws: ``TransportError``, `CancellationError`.
    public func exchange(
        _ message: OAuthMessage,
        deadline: Duration = .seconds(60)
    ) async throws -> (HTTPResponse, [UInt8]) {
        let transport = self.transport
        return try await Deadline.run(deadline, clock: self.clock) {
            let (response, body) = try await transport.send(message.request, body: message.body.map { HTTPBody($0) })
            return (response, try await body.collect(upTo: 1 << 20))
        }
    }
}
