// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting

/// Every secret of a run, those that the provider gave and those that were drawn here, by the name under which it went.
final class Canaries: Sendable {
    private let known = Mutex<[String: String]>([:])

    /// The names under which secrets were found.
    var names: Set<String> { Set(self.known.withLock { $0.values }) }
    /// The secrets.
    var secrets: [String] { self.known.withLock { Array($0.keys) } }

    /// Takes a secret; a short one would be found where it is not.
    func add(_ name: String, _ text: String?) {
        guard let text, text.utf8.count >= 12 else { return }
        self.known.withLock { $0[text] = name }
        // What is signed, and the signature.
        let parts = text.split(separator: ".")
        guard parts.count == 3, text.hasPrefix("ey") else { return }
        for part in parts.dropFirst() { self.known.withLock { $0[String(part)] = name } }
    }

    /// Takes what a request carries.
    ///
    /// - Returns: its secrets.
    @discardableResult
    func take(_ request: RecordedRequest) -> [String] {
        var found: [(String, String)] = []
        if request.head.headerFields[.contentType] == "application/x-www-form-urlencoded" {
            found += Self.secrets(request.form)
        }
        let fields = request.head.headerFields
        if let credentials = fields[.authorization]?.split(separator: " ").last {
            found.append(("authorization", String(credentials)))
        }
        if let proof = request.proofText { found.append(("proof", proof)) }
        found += Self.members(request.body)
        for (name, text) in found { self.add(name, text) }
        return found.map(\.1).filter { $0.utf8.count >= 12 }
    }

    /// Takes what an answer carries.
    func take(_ response: HTTPResponse, _ body: [UInt8]) {
        for (name, text) in Self.members(body) { self.add(name, text) }
        if response.headerFields[.contentType]?.hasSuffix("jwt") == true {
            self.add("signed answer", String(decoding: body, as: UTF8.self))
        }
    }

    /// Takes the parameters of a URL, and of a form beside it.
    func take(url: String, form: String = "") {
        for separator: Character in ["?", "#"] {
            let query = String(url.drop { $0 != separator }.dropFirst().prefix { $0 != "#" })
            for (name, text) in Self.secrets(FormParameter.parse(query)) { self.add(name, text) }
        }
        for (name, text) in Self.secrets(FormParameter.parse(form)) { self.add(name, text) }
    }

    /// Takes a private key: the lines of its PEM text, and the text as a whole.
    func take(pem: String, _ name: String) {
        self.add(name, pem)
        for line in pem.split(separator: "\n") where !line.hasPrefix("-----") { self.add(name, String(line)) }
    }

    private static let open: Set<String> = [
        "client_id", "client_assertion_type", "grant_type", "redirect_uri", "post_logout_redirect_uri", "scope", "iss",
        "code_challenge", "code_challenge_method", "dpop_jkt", "response_type", "response_mode", "resource", "audience",
        "subject_token_type", "actor_token_type", "requested_token_type", "token_type_hint", "login_hint", "error",
        "error_description", "error_uri", "binding_message",
    ]

    private static func secrets(_ parameters: [FormParameter]) -> [(String, String)] {
        parameters.filter { !self.open.contains($0.name) }.map { ($0.name, $0.value) }
    }

    private static let members = [
        "access_token", "refresh_token", "id_token", "device_code", "auth_req_id", "request_uri", "client_secret",
        "registration_access_token", "software_statement",
    ]

    private static func members(_ body: [UInt8]) -> [(String, String)] {
        guard let object = try? JSONValue(parsing: body) else { return [] }
        return Self.members.compactMap { name in object[name]?.string.map { (name, $0) } }
    }
}
