// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Oracles
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(Array(fuzzing: start, count))
    return 0
}

/// Checks token responses and error responses.
///
/// The tokens must equal those that a second JSON reader finds, and an access token must be valid in a header. As an
/// error response, the same bytes must give a message of one line without the secret that was sent.
private func check(_ bytes: [UInt8]) {
    let plain = PlainJSON(bytes, depth: 64)
    expect(tokens(response(bytes, .ok), agreeWith: plain), "the tokens are the document's")

    switch response(bytes, .badRequest) {
    case .success: expect(false, "status 400 is never a success")
    case .failure(let error):
        expect(error is OAuthError || error is HTTPStatusError, "an error has one of two types")
        let words = "\(error)"
        expect(words.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "an error is one line")
        let description = (error as? OAuthError)?.serverDescription ?? ""
        expect(!description.contains("sent-refresh-token"), "an error does not contain the refresh token")
    }
}

private func response(_ bytes: [UInt8], _ status: HTTPResponse.Status) -> Result<TokenResponse, any Error> {
    var response = HTTPResponse(status: status)
    response.headerFields[.contentType] = "application/json"
    guard let example = Example.shared else { return .failure(CancellationError()) }
    return Result { try example.request.decode(response, body: bytes, for: example.client) }
}

private func tokens(_ response: Result<TokenResponse, any Error>, agreeWith plain: PlainJSON?) -> Bool {
    guard case .success(let tokens) = response else {
        guard case .failure(let error) = response else { return false }
        return error is ProtocolViolationError && "\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 }
    }
    guard let plain, plain["error"] == nil else { return false }
    let token = tokens.accessToken.withUnredacted { $0 }
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
    guard plain["access_token"]?.text == token, plain["token_type"]?.text?.lowercased() == "bearer" else {
        return false
    }
    guard tokens.refreshToken?.withUnredacted({ $0 }) == plain["refresh_token"]?.text,
        tokens.idToken?.withUnredacted({ $0 }) == plain["id_token"]?.text
    else { return false }
    for (seconds, name) in [
        (tokens.expiresIn, "expires_in"), (tokens.refreshTokenExpiresIn, "refresh_token_expires_in"),
    ] {
        switch (seconds, plain[name]) {
        case (nil, nil), (nil, .null): break
        case (let seconds?, .string(let digits)):
            guard Int64(String(decoding: digits, as: UTF8.self)) == seconds else { return false }
        case (let seconds?, .number(let number)):
            guard (0...3_155_760_000).contains(seconds), Double(number) == Double(seconds) else { return false }
        default: return false
        }
    }
    return !"\(tokens)".contains(token) || token.utf8.count < 12
}

/// A client and its refresh request.
private struct Example {
    let client: RegisteredClient
    let request: TokenRequest

    static let shared = try? Example()

    init() throws {
        let metadata = try ServerMetadata([
            ("issuer", "https://as.example"), ("token_endpoint", "https://as.example/token"),
        ])
        self.client = RegisteredClient(
            OAuthClient(clientID: "client"),
            metadata: metadata,
            runtime: OAuthRuntime(transport: NoTransport())
        )
        let endpoint = try metadata.require(\.tokenEndpoint, "token_endpoint")
        self.request = .refresh(Secret("sent-refresh-token"), at: endpoint)
    }
}

/// A transport for clients that send no requests.
private struct NoTransport: HTTPTransport {
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        throw CancellationError()
    }
}
