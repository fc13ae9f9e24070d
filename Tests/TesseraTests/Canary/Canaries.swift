// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting

/// The secrets of a run, both issued by the provider and generated locally, with the name of each.
final class Canaries: Sendable {
    private let known = Mutex<[String: String]>([:])

    /// The names of the recorded secrets.
    var names: Set<String> { Set(self.known.withLock { $0.values }) }
    /// The recorded secrets.
    var secrets: [String] { self.known.withLock { Array($0.keys) } }

    /// Records a secret, unless it is so short that it would match unrelated text.
    func add(_ name: String, _ text: String?) {
        guard let text, text.utf8.count >= 12 else { return }
        self.known.withLock { $0[text] = name }
        // The payload and the signature of a signed token are secrets, too.
        let parts = text.split(separator: ".")
        guard parts.count == 3, text.hasPrefix("ey") else { return }
        for part in parts.dropFirst() { self.known.withLock { $0[String(part)] = name } }
    }

    /// Records the secrets of a request.
    ///
    /// - Returns: The secrets that were found.
    @discardableResult
    func record(_ request: RecordedRequest) -> [String] {
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

    /// Records the secrets of a response.
    func record(_ response: HTTPResponse, _ body: [UInt8]) {
        for (name, text) in Self.members(body) { self.add(name, text) }
        if response.headerFields[.contentType]?.hasSuffix("jwt") == true {
            self.add("signed response", String(decoding: body, as: UTF8.self))
        }
    }

    /// Records the parameters of a URL and of a form.
    func record(url: String, form: String = "") {
        for separator: Character in ["?", "#"] {
            let query = String(url.drop { $0 != separator }.dropFirst().prefix { $0 != "#" })
            for (name, text) in Self.secrets(FormParameter.parse(query)) { self.add(name, text) }
        }
        for (name, text) in Self.secrets(FormParameter.parse(form)) { self.add(name, text) }
    }

    /// Records a private key: the whole PEM text and each of its lines.
    func record(pem: String, _ name: String) {
        self.add(name, pem)
        for line in pem.split(separator: "\n") where !line.hasPrefix("-----") { self.add(name, String(line)) }
    }

    private static let publicParameters: Set<String> = [
        "client_id", "client_assertion_type", "grant_type", "redirect_uri", "post_logout_redirect_uri", "scope", "iss",
        "code_challenge", "code_challenge_method", "dpop_jkt", "response_type", "response_mode", "resource", "audience",
        "subject_token_type", "actor_token_type", "requested_token_type", "token_type_hint", "login_hint", "error",
        "error_description", "error_uri", "binding_message",
    ]

    private static func secrets(_ parameters: [FormParameter]) -> [(String, String)] {
        parameters.filter { !self.publicParameters.contains($0.name) }.map { ($0.name, $0.value) }
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
