// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraOAuth

extension HTTPTransportContract {
    /// Redirects are responses like any other.
    static let redirects: [Check] =
        [301, 302, 303, 307, 308]
        .flatMap { status in
            [
                Check("A \(status) to another origin is not followed, and the other origin sees nothing (5) (60)") {
                    try await $0.doesNotFollow(status, method: .get)
                },
                Check("A \(status) in answer to a POST is not followed, and the other origin sees nothing (60) (120)") {
                    try await $0.doesNotFollow(status, method: .post)
                },
            ]
        } + [
            Check("A redirect to the same origin is not followed (5)") { contract in
                let server = try ContractServer { _ in LoopbackResponse(status: 302, headers: [("Location", "/other")])
                }
                let (response, _) = try await contract.loopbackTransport().send(server.request(), body: nil)
                try ContractError.require(response.status.code == 302, "The 302 itself must arrive")
                try ContractError.require(server.requests.count == 1, "One request, not \(server.requests.count)")
            }
        ]

    private func doesNotFollow(_ status: Int, method: HTTPRequest.Method) async throws {
        let other = try ContractServer { _ in LoopbackResponse(status: 200) }
        let location = "http://\(other.authority)/stolen"
        let server = try ContractServer { _ in LoopbackResponse(status: status, headers: [("Location", location)]) }
        let request = server.request(method: method, fields: [.authorization: "Bearer of-the-first-origin"])
        let (response, body) = try await self.loopbackTransport()
            .send(request, body: method == .post ? .init("grant_type=refresh_token") : nil)
        _ = try await body.collect(upTo: 1 << 16)
        try ContractError.require(response.status.code == status, "Expected \(status), got \(response.status.code)")
        try ContractError.require(response.headerFields[.location] == location, "The Location field must arrive")
        try ContractError.require(server.requests.count == 1, "The first origin got \(server.requests.count) requests")
        try ContractError.require(other.requests.isEmpty, "The other origin was called")
    }
}
