// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TestTraits
internal import Testing
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("Accounts and consent")
struct ConsentInternalTests {
    typealias Provider = ProviderUnderTest

    static let scopes = "openid email \(Provider.driveReadonly) \(Provider.calendar)"

    @Test("Redirects with the code, the unchanged state and Google's parameters")
    func redirect() throws {
        var provider = try Provider()
        let response = try provider.signIn(["redirect_uri": "http://127.0.0.1:50123/cb?keep=1"])
        #expect(response.status == .seeOther)
        #expect(response.headers[.location]?.hasPrefix("http://127.0.0.1:50123/cb?keep=1&") == true)
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(response.redirectParameters["state"] == "st&te")
        #expect(response.redirectParameters["code"]?.hasPrefix("4/") == true)
        #expect(response.redirectParameters["authuser"] == "0")
        #expect(response.redirectParameters["iss"] == nil)
    }

    @Test("Sends and advertises the issuer parameter if enabled", .covers(31, 32))
    func issuerInRedirect() throws {
        var provider = try Provider { $0.behavior.sendsIssuerInRedirects = true }
        #expect(try provider.signIn().redirectParameters["iss"] == Provider.baseURL)
        #expect(try provider.signIn(action: "cancel").redirectParameters["iss"] == Provider.baseURL)
        let discovery = try provider.send(.get, "/.well-known/openid-configuration").json
        #expect(discovery["authorization_response_iss_parameter_supported"]?.bool == true)
    }

    @Test("Grants only the scopes that the user selects", .covers(76))
    func granularConsent() throws {
        var provider = try Provider()
        let page = provider.authorize(["scope": Self.scopes, "login_hint": Provider.ada.email])
        #expect(page.selectedScopes == [Provider.driveReadonly, Provider.calendar])
        let code = try provider.code(["scope": Self.scopes], selecting: [Provider.calendar])
        let tokens = try Tokens(provider.exchange(code))
        #expect(tokens.scopes == ["openid", ScopeCatalog.email, Provider.calendar])
    }

    @Test("Ignores a selected scope that was not on the page")
    func foreignScope() throws {
        var provider = try Provider()
        let code = try provider.code(["scope": Self.scopes], selecting: [Provider.drive])
        #expect(try Tokens(provider.exchange(code)).scopes == ["openid", ScopeCatalog.email])
    }

    @Test("Denies access if no scope is selected")
    func nothingGranted() throws {
        var provider = try Provider()
        let response = try provider.signIn(["scope": Provider.driveReadonly], selecting: [])
        #expect(response.redirectParameters["error"] == "access_denied")
    }

    @Test("Returns access_denied on cancel and ends the attempt")
    func cancel() throws {
        var provider = try Provider()
        #expect(
            try provider.signIn(action: "cancel").redirectParameters == ["error": "access_denied", "state": "st&te"]
        )
        let attempt = try provider.authorize().attempt
        let form = [("attempt", attempt), ("action", "cancel")]
        #expect(provider.post("/o/oauth2/v2/auth/account", form).redirectParameters["error"] == "access_denied")
        #expect(provider.post("/o/oauth2/v2/auth/account", form).status == .badRequest)
    }

    @Test("Rejects a missing, wrong, used or expired attempt secret", .covers(30))
    func attemptSecret() throws {
        var provider = try Provider()
        let attempt = try provider.authorize(["login_hint": Provider.ada.email]).attempt
        let path = "/o/oauth2/v2/auth/consent"
        #expect(provider.post(path, [("action", "allow")]).status == .badRequest)
        #expect(provider.post(path, [("action", "allow"), ("attempt", attempt + "x")]).status == .badRequest)
        #expect(provider.post(path, [("action", "allow"), ("attempt", attempt)]).status == .seeOther)
        #expect(provider.post(path, [("action", "allow"), ("attempt", attempt)]).status == .badRequest)
        let late = try provider.authorize(["login_hint": Provider.ada.email, "prompt": "consent"]).attempt
        provider.now += ProviderState.attemptLifetime
        #expect(provider.post(path, [("action", "allow"), ("attempt", late)]).status == .badRequest)
    }

    @Test("Rejects consent before an account is chosen")
    func consentWithoutAccount() throws {
        var provider = try Provider()
        let attempt = try provider.authorize().attempt
        let response = provider.post("/o/oauth2/v2/auth/consent", [("attempt", attempt), ("action", "allow")])
        #expect(response.status == .badRequest)
    }

    @Test(
        "Rejects a form from another origin",
        arguments: ["https://evil.example", "null", "http://127.0.0.1:8401", "https://127.0.0.1:8400"]
    )
    func otherOrigin(origin: String) throws {
        var provider = try Provider()
        let form = [("attempt", try provider.authorize().attempt), ("account", Provider.ada.subject)]
        #expect(provider.post("/o/oauth2/v2/auth/account", form, ["Origin": origin]).status == .forbidden)
        #expect(provider.post("/o/oauth2/v2/auth/account", form, ["Origin": Provider.baseURL]).status == .ok)
    }

    @Test("Matches login_hint by email or subject and otherwise shows the account chooser")
    func loginHint() throws {
        var provider = try Provider()
        for hint in [Provider.noor.email.uppercased(), Provider.noor.subject] {
            let page = provider.authorize(["login_hint": hint])
            #expect(page.text.contains("wants access"))
            #expect(page.text.contains(Provider.noor.email))
        }
        #expect(provider.authorize(["login_hint": "nobody@example.com"]).text.contains("Choose an account"))
        let both = ["login_hint": Provider.noor.email, "prompt": "select_account"]
        #expect(provider.authorize(both).text.contains("Choose an account"))
    }

    @Test("Restricts the account chooser to the domain in hd")
    func hostedDomain() throws {
        var provider = try Provider()
        let page = provider.authorize(["hd": "tessera.example"])
        #expect(page.text.contains(Provider.noor.email))
        #expect(!page.text.contains(Provider.ada.email))
        let form = [("attempt", try page.attempt), ("account", Provider.ada.subject)]
        #expect(provider.post("/o/oauth2/v2/auth/account", form).status == .badRequest)
        #expect(provider.authorize(["hd": "other.example"]).text.contains("No account belongs"))
        #expect(try provider.signIn(["hd": "*"], as: Provider.noor).redirectParameters["hd"] == "tessera.example")
    }

    @Test("Skips consent for granted scopes unless prompt=consent")
    func earlierConsent() throws {
        var provider = try Provider()
        _ = try provider.code()
        let attempt = try provider.authorize().attempt
        let form = [("attempt", attempt), ("account", Provider.ada.subject)]
        #expect(provider.post("/o/oauth2/v2/auth/account", form).redirectParameters["code"] != nil)
        let known = provider.authorize(["login_hint": Provider.ada.email])
        #expect(known.status == .found)
        #expect(known.redirectParameters["code"] != nil)
        #expect(provider.authorize(["login_hint": Provider.ada.email, "prompt": "consent"]).status == .ok)
    }

    @Test("Does not redirect a new browser based on login_hint alone")
    func hintAlone() throws {
        var provider = try Provider()
        _ = try provider.code()
        provider.cookie = nil
        #expect(provider.authorize(["login_hint": Provider.ada.email]).status == .ok)
    }

    @Test("Adds earlier grants only with include_granted_scopes")
    func incrementalConsent() throws {
        var provider = try Provider()
        _ = try provider.code(["scope": "openid \(Provider.calendar)"])
        let alone = try provider.tokens(["scope": "openid \(Provider.driveReadonly)"])
        #expect(alone.scopes == ["openid", Provider.driveReadonly])
        let joined = try provider.tokens([
            "scope": "openid \(Provider.driveReadonly)", "include_granted_scopes": "true", "prompt": "consent",
        ])
        #expect(joined.scopes == ["openid", Provider.driveReadonly, Provider.calendar])
    }

    @Test("Responds to prompt=none with a code or an error, never a page")
    func silent() throws {
        var provider = try Provider()
        let none = ["prompt": "none"]
        #expect(provider.authorize(none).redirectParameters["error"] == "login_required")
        _ = try provider.code()
        #expect(provider.authorize(none).redirectParameters["code"] != nil)
        #expect(
            provider.authorize(["prompt": "none", "login_hint": "x"]).redirectParameters["error"] == "login_required"
        )
        let more = provider.authorize(["prompt": "none", "scope": "openid \(Provider.calendar)"])
        #expect(more.redirectParameters["error"] == "consent_required")
        provider.now += 61
        let aged = provider.authorize(["prompt": "none", "max_age": "60"])
        #expect(aged.redirectParameters["error"] == "login_required")
        _ = try provider.code(as: Provider.noor)
        #expect(provider.authorize(none).redirectParameters["error"] == "interaction_required")
    }

    @Test("Protects the session cookie with HttpOnly, SameSite and Secure")
    func cookie() throws {
        var provider = try Provider()
        let cookie = try provider.signIn().headers[.setCookie]
        #expect(cookie?.hasSuffix("; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax") == true)
        var secure = try Provider { $0.tls = true }
        #expect(try secure.signIn().headers[.setCookie]?.hasSuffix("; Secure") == true)
    }
}
#endif
