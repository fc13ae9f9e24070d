// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// Nobody: calls go with a key and without a token.
struct KeyAlone: AccessTokenSource {
    let authorizedOrigins: [OriginPattern]

    func accessToken() async throws -> AccessToken {
        throw InvalidRequest("session", reason: "this API is called with a key alone; nobody has signed in")
    }

    func refused(_ token: AccessToken) async throws -> AccessToken { token }
}
