// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Testing
internal import TesseraJSON
@testable internal import TesseraLocalProvider

/// What a token answer gave.
struct Tokens {
    var access: String
    var refresh: String?
    var id: String?
    var scopes: Set<String>

    init(_ response: EndpointResponse) throws {
        let json = try response.json
        self.access = try #require(json["access_token"]?.string)
        self.refresh = json["refresh_token"]?.string
        self.id = json["id_token"]?.string
        self.scopes = Set((json["scope"]?.string ?? "").split(separator: " ").map(String.init))
    }
}
#endif
