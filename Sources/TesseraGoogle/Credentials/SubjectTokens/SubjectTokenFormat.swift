// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// The format of a file or a response that contains a subject token (`format`).
struct SubjectTokenFormat: Sendable {
    /// The name of the JSON member, or nil if the whole text is the token.
    private let member: String?

    init(_ source: CredentialFile) throws(GoogleCredentialsError) {
        let format = try source.child("format")
        switch try format?.string("type") ?? "text" {
        case "text": self.member = nil
        case "json": self.member = try format?.required("subject_token_field_name")
        default: throw source.invalid("credential_source.format.type must be text or json")
        }
    }

    /// Returns the token in a file or a response.
    func token(in bytes: [UInt8], at location: String) throws(GoogleCredentialsError) -> Secret {
        let text: String?
        if let member {
            text = (try? JSONValue(parsing: bytes))?[member]?.string
        } else {
            text = String(wellFormedUTF8: bytes)
        }
        guard let text, !text.isEmpty else {
            let name = self.member.map { "no string \(UntrustedText.printable($0))" } ?? "no text"
            throw GoogleCredentialsError(.subjectToken, at: location, reason: "there is \(name) with a subject token")
        }
        return Secret(text)
    }
}

/// A file with a subject token, which another program replaces.
struct FileSubjectToken: SubjectTokenSource {
    let path: String
    let format: SubjectTokenFormat

    func subjectToken(_ context: SubjectTokenContext, _ client: CredentialClient) async throws -> Secret {
        let path = self.path
        let bytes = try await BlockingExecutor.reading.run {
            try CredentialFile.contents(of: path, limit: 1 << 20).bytes
        }
        return try self.format.token(in: bytes, at: path)
    }
}

/// A server, usually on the same machine, that returns a subject token.
struct URLSubjectToken: SubjectTokenSource {
    let url: Endpoint
    let fields: HTTPFields
    let format: SubjectTokenFormat

    init(_ source: CredentialFile) throws {
        let text = try source.required("url")
        do {
            self.url = try Endpoint(
                text,
                name: "credential_source.url",
                insecure: [.loopbackHTTP, .metadataServerHTTP]
            )
        } catch {
            throw source.invalid(
                "credential_source.url must be an https URL, or an http URL of this machine or its metadata server"
            )
        }
        self.format = try SubjectTokenFormat(source)
        var fields = HTTPFields()
        for member in (try source.child("headers")?.object.members).map(Array.init) ?? [] {
            guard let name = HTTPField.Name(member.name), let value = member.value.string,
                HTTPField.isValidValue(value)
            else { throw source.invalid("credential_source.headers is not an object with valid header fields") }
            fields.append(HTTPField.sensitive(name, value))
        }
        self.fields = fields
    }

    func subjectToken(_ context: SubjectTokenContext, _ client: CredentialClient) async throws -> Secret {
        var request = ServiceRequest("subject_token", server: "The source of subject tokens", url: self.url)
        request.code = .subjectToken
        request.fields = self.fields
        request.secrets = self.fields.map { Secret($0.value) }
        let response = try await client.response(to: request)
        return try self.format.token(in: response.body, at: request.location)
    }
}
