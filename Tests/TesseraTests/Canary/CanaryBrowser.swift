// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraSupport
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting

/// A browser in which the user consents, and which delivers the response in the requested response mode.
final class CanaryBrowser: Sendable {
    typealias Script = @Sendable (_ plainURL: String) throws -> String

    private let network: ScriptedProvider
    private let canaries: Canaries
    private let script = Mutex<Script?>(nil)

    init(_ network: ScriptedProvider, _ canaries: Canaries) { (self.network, self.canaries) = (network, canaries) }

    /// Replaces the provider's redirect with the result of a script.
    ///
    /// With nil, the user consents.
    func script(_ script: Script?) { self.script.withLock { $0 = script } }

    var agent: ScriptedUserAgent { .delivering { url in [try self.response(url)] } }

    private func response(_ url: String) throws -> DeliveredResponse {
        self.canaries.record(url: url)
        var parameters = FormParameter.parse(String(url.drop { $0 != "?" }.dropFirst()))
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        if url.contains("/logout?") { return .redirect(try self.logout(value("state"), value("id_token_hint"))) }
        if value("request_uri") != nil {
            parameters = self.network.requests("/par").last?.form.filter { !$0.name.hasPrefix("client_a") } ?? []
            self.record(parameters)
        }
        if let request = value("request") {
            parameters =
                try CompactJWS(parsing: request).claims().members
                .map { $0.map { FormParameter(name: $0.name, value: $0.value.string ?? "") } } ?? []
            self.record(parameters)
        }
        var form = FormParameters()
        for name in [
            "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
            "dpop_jkt",
        ] {
            form.append(name, value(name))
        }
        form.append("response_type", "code")
        let plain = ScriptedProvider.issuer + "/authorize?" + form.encoded
        let redirect = try self.script.withLock { $0 }.map { try $0(plain) } ?? self.network.consent(to: plain)
        let delivered = try self.delivered(
            redirect,
            mode: value("response_mode"),
            nonce: value("response_type") == "code id_token" ? value("nonce") : nil
        )
        switch delivered {
        case .redirect(let uri): self.canaries.record(url: uri)
        case .formPost(let uri, let body): self.canaries.record(url: uri, form: body)
        }
        return delivered
    }

    private func record(_ parameters: [FormParameter]) {
        for parameter in parameters where ["state", "nonce"].contains(parameter.name) {
            self.canaries.add(parameter.name, parameter.value)
        }
    }

    /// Returns the redirect in the requested response mode, with an ID token if there is a nonce.
    private func delivered(_ redirect: String, mode: String?, nonce: String?) throws -> DeliveredResponse {
        let parts = redirect.split(separator: "?", maxSplits: 1).map(String.init)
        var query = parts.count == 2 ? parts[1] : ""
        let response = FormParameter.parse(query)
        self.canaries.record(url: "?" + query)
        if let nonce, let code = response.first(where: { $0.name == "code" })?.value {
            query += "&id_token=" + (try self.idToken(nonce, code))
        }
        if mode?.hasSuffix("jwt") == true {
            let claims = response.map { JSONMember(name: $0.name, value: .string($0.value)) }
            let now = Int64(self.network.clock.date.timeIntervalSince1970)
            let more = [
                JSONMember(name: "aud", value: "test-client"), JSONMember(name: "exp", value: .integer(now + 60)),
            ]
            query = "response=" + (try self.network.sign(claims + more))
        }
        return mode?.hasPrefix("form_post") == true
            ? .formPost(to: parts[0], body: query)
            : .redirect("\(parts[0])\(mode == "fragment" ? "#" : "?")\(query)")
    }

    private func idToken(_ nonce: String, _ code: String) throws -> String {
        let now = Int64(self.network.clock.date.timeIntervalSince1970)
        return try self.network.sign([
            JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)), JSONMember(name: "sub", value: "ada"),
            JSONMember(name: "aud", value: "test-client"), JSONMember(name: "iat", value: .integer(now)),
            JSONMember(name: "exp", value: .integer(now + 600)), JSONMember(name: "nonce", value: .string(nonce)),
            JSONMember(name: "c_hash", value: .string(TokenHash.compute(of: code, algorithm: .es256) ?? "")),
        ])
    }

    /// Returns the redirect after a logout.
    ///
    /// A script receives all parameters of the request.
    private func logout(_ state: String?, _ hint: String?) throws -> String {
        let redirect = ScriptedUserAgent.redirectURI + "?state=" + (state ?? "")
        return try self.script.withLock { $0 }.map { try $0(redirect + "&hint=" + (hint ?? "")) } ?? redirect
    }
}
