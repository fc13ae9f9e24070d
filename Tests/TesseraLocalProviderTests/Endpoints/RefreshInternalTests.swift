// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TestTraits
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("Refresh, rotation and revocation")
struct RefreshInternalTests {
    typealias Provider = ProviderUnderTest

    @Test("Returns a new access token and ID token but no refresh token", .covers(79))
    func refresh() throws {
        var provider = try Provider()
        let first = try provider.tokens()
        let second = try Tokens(provider.refresh(try #require(first.refresh)))
        #expect(second.access != first.access)
        #expect(second.refresh == nil)
        #expect(second.scopes == first.scopes)
        let claims = try CompactJWS(parsing: try #require(second.id)).claims()
        #expect(claims["sub"]?.string == Provider.ada.subject)
        #expect(claims["nonce"] == nil)
        #expect(provider.userInfo(first.access).status == .ok)
    }

    @Test("Narrows the scopes on refresh but does not widen them")
    func scopes() throws {
        var provider = try Provider()
        let token = try #require(try provider.tokens(["scope": "openid email \(Provider.calendar)"]).refresh)
        #expect(try Tokens(provider.refresh(token, ["scope": "email"])).scopes == [ScopeCatalog.email])
        #expect(provider.refresh(token, ["scope": "email \(Provider.drive)"]).errorCode == "invalid_scope")
    }

    @Test("Ends the session when a rotated refresh token is reused")
    func rotation() throws {
        var provider = try Provider { $0.rotateRefreshTokens = true }
        let first = try provider.tokens()
        let second = try Tokens(provider.refresh(try #require(first.refresh)))
        let third = try Tokens(provider.refresh(try #require(second.refresh)))
        #expect(Set([first.refresh, second.refresh, third.refresh]).count == 3)
        #expect(provider.refresh(try #require(second.refresh)).errorCode == "invalid_grant")
        #expect(provider.refresh(try #require(third.refresh)).errorCode == "invalid_grant")
        #expect(provider.userInfo(third.access).status == .unauthorized)
    }

    @Test("Keeps the other sessions of an account when one ends")
    func otherFamily() throws {
        var provider = try Provider { $0.rotateRefreshTokens = true }
        let (one, other) = (try provider.tokens(), try provider.tokens(["prompt": "consent"]))
        _ = provider.refresh(try #require(one.refresh))
        _ = provider.refresh(try #require(one.refresh))
        #expect(provider.userInfo(one.access).status == .unauthorized)
        #expect(provider.refresh(try #require(other.refresh)).status == .ok)
    }

    @Test("Ends the oldest session when an account exceeds the sign-in limit")
    func limit() throws {
        var provider = try Provider()
        var tokens: [String] = []
        for _ in 0...LocalProviderOptions.Behavior().signInLimit {
            tokens.append(try #require(try provider.tokens(["prompt": "consent"]).refresh))
        }
        #expect(provider.refresh(tokens[0]).errorCode == "invalid_grant")
        #expect(provider.refresh(tokens[1]).status == .ok)
    }

    @Test(
        "Revokes the whole grant for any of its tokens and, as Google does, rejects unknown tokens",
        .covers(122),
        arguments: [true, false]
    )
    func revocation(useRefreshToken: Bool) throws {
        var provider = try Provider()
        let tokens = try provider.tokens()
        let token = try #require(useRefreshToken ? tokens.refresh : tokens.access)
        #expect(provider.post("/revoke", [("token", "unknown")]).errorCode == "invalid_token")
        #expect(provider.userInfo(tokens.access).status == .ok)
        #expect(provider.post("/revoke", [("token", token)]).status == .ok)
        #expect(provider.userInfo(tokens.access).status == .unauthorized)
        #expect(provider.refresh(try #require(tokens.refresh)).errorCode == "invalid_grant")
        #expect(provider.post("/revoke", [("token", token)]).errorCode == "invalid_token")
        #expect(provider.authorize(["login_hint": Provider.ada.email]).text.contains("wants access"))
    }

    @Test("Rejects a revocation without a token", .covers(122))
    func emptyRevocation() throws {
        var provider = try Provider()
        #expect(provider.post("/revoke", []).errorCode == "invalid_request")
    }

    @Test("Keeps the sessions of other accounts on revocation")
    func otherAccount() throws {
        var provider = try Provider()
        let (ada, noor) = (try provider.tokens(), try provider.tokens(as: Provider.noor))
        _ = provider.post("/revoke", [("token", ada.access)])
        #expect(provider.userInfo(noor.access).status == .ok)
    }

    @Test("Applies injected faults once each, in order, without changing the grant", .covers(73))
    func faults() throws {
        var provider = try Provider()
        let token = try #require(try provider.tokens().refresh)
        provider.state.behavior.tokenFaults = [
            .unavailable(retryAfter: 7), .unavailable(), .error("invalid_grant"), .html,
        ]
        let first = provider.refresh(token)
        #expect(first.status == .serviceUnavailable)
        #expect(first.headers[.retryAfter] == "7")
        #expect(provider.refresh(token).headers[.retryAfter] == nil)
        #expect(provider.refresh(token).errorCode == "invalid_grant")
        #expect(provider.refresh(token).headers[.contentType] == "text/html; charset=utf-8")
        #expect(provider.refresh(token).status == .ok)
        #expect(provider.state.tokenRequestCount == 6)
    }

    @Test("Rotates the refresh token even if the response is truncated", .covers(115))
    func truncatedResponse() throws {
        var provider = try Provider { $0.rotateRefreshTokens = true }
        let token = try #require(try provider.tokens().refresh)
        provider.state.behavior.tokenFaults = [.truncatedResponse]
        #expect(provider.refresh(token).isCut)
        #expect(provider.refresh(token).errorCode == "invalid_grant")
    }

    @Test("Repeats the refresh token and omits the expiry if configured", .covers(75))
    func switches() throws {
        var provider = try Provider {
            $0.behavior.repeatsRefreshToken = true
            $0.behavior.omitsExpiry = true
        }
        let token = try #require(try provider.tokens().refresh)
        let response = try provider.refresh(token).json
        #expect(response["refresh_token"]?.string == token)
        #expect(response["expires_in"] == nil)
    }

    @Test("Expires access tokens by lifetime or on demand")
    func expiry() throws {
        var provider = try Provider { $0.accessTokenLifetime = 60 }
        let tokens = try provider.tokens()
        provider.now += 59
        #expect(provider.userInfo(tokens.access).status == .ok)
        provider.now += 1
        #expect(provider.userInfo(tokens.access).status == .unauthorized)
        let again = try Tokens(provider.refresh(try #require(tokens.refresh)))
        provider.state.accessTokens.expireAll()
        #expect(provider.userInfo(again.access).status == .unauthorized)
    }
}
#endif
