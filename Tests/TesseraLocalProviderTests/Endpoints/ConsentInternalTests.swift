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

    @Test("Allowing sends the browser back with a code, the state as it was, and Google's other parameters")
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

    @Test("The issuer stands in the redirect, and discovery says so, when it is switched on", .covers(31, 32))
    func issuerInRedirect() throws {
        var provider = try Provider { $0.behaviour.sendsIssuerInRedirects = true }
        #expect(try provider.signIn().redirectParameters["iss"] == Provider.baseURL)
        #expect(try provider.signIn(action: "cancel").redirectParameters["iss"] == Provider.baseURL)
        let discovery = try provider.send(.get, "/.well-known/openid-configuration").json
        #expect(discovery["authorization_response_iss_parameter_supported"]?.bool == true)
    }

    @Test("Each scope but those of the sign-in has a box, and what is unticked is not granted", .covers(76))
    func granularConsent() throws {
        var provider = try Provider()
        let page = provider.authorize(["scope": Self.scopes, "login_hint": Provider.ada.email])
        #expect(page.tickedScopes == [Provider.driveReadonly, Provider.calendar])
        let code = try provider.code(["scope": Self.scopes], ticking: [Provider.calendar])
        let tokens = try Tokens(provider.exchange(code))
        #expect(tokens.scopes == ["openid", ScopeCatalog.email, Provider.calendar])
    }

    @Test("A box that was not on the page grants nothing")
    func foreignScope() throws {
        var provider = try Provider()
        let code = try provider.code(["scope": Self.scopes], ticking: [Provider.drive])
        #expect(try Tokens(provider.exchange(code)).scopes == ["openid", ScopeCatalog.email])
    }

    @Test("Unticking all there is counts as access denied")
    func nothingGranted() throws {
        var provider = try Provider()
        let response = try provider.signIn(["scope": Provider.driveReadonly], ticking: [])
        #expect(response.redirectParameters["error"] == "access_denied")
    }

    @Test("Cancel on either page is access_denied, and the attempt is over")
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

    @Test("A form without the attempt's secret, with a wrong one, a used one or an old one is refused", .covers(30))
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

    @Test("Consent cannot be given before an account is chosen")
    func consentWithoutAccount() throws {
        var provider = try Provider()
        let attempt = try provider.authorize().attempt
        let response = provider.post("/o/oauth2/v2/auth/consent", [("attempt", attempt), ("action", "allow")])
        #expect(response.status == .badRequest)
    }

    @Test(
        "A form that another site sends is refused",
        arguments: ["https://evil.example", "null", "http://127.0.0.1:8401", "https://127.0.0.1:8400"]
    )
    func otherOrigin(origin: String) throws {
        var provider = try Provider()
        let form = [("attempt", try provider.authorize().attempt), ("account", Provider.ada.subject)]
        #expect(provider.post("/o/oauth2/v2/auth/account", form, ["Origin": origin]).status == .forbidden)
        #expect(provider.post("/o/oauth2/v2/auth/account", form, ["Origin": Provider.baseURL]).status == .ok)
    }

    @Test("login_hint names an account by email in any case or by subject; an unknown one shows the chooser")
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

    @Test("hd narrows the chooser to an organisation, and others cannot be chosen")
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

    @Test("What was granted before is not asked again, unless prompt=consent")
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

    @Test("A browser that never signed in is not sent back by a hint alone")
    func hintAlone() throws {
        var provider = try Provider()
        _ = try provider.code()
        provider.cookie = nil
        #expect(provider.authorize(["login_hint": Provider.ada.email]).status == .ok)
    }

    @Test("include_granted_scopes adds what was granted before; without it only the new ones come")
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

    @Test("prompt=none answers with a code or with the reason, and never with a page")
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

    @Test("The browser's cookie is out of scripts' and other sites' reach")
    func cookie() throws {
        var provider = try Provider()
        let cookie = try provider.signIn().headers[.setCookie]
        #expect(cookie?.hasSuffix("; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax") == true)
        var secure = try Provider { $0.tls = true }
        #expect(try secure.signIn().headers[.setCookie]?.hasSuffix("; Secure") == true)
    }
}
#endif
