// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
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

/// Checks accepted metadata.
///
/// Every endpoint must equal the document's and must be an https URL without user name and fragment, also according to
/// Foundation. A document that is written and read again must be equal.
private func check(_ bytes: [UInt8]) {
    let metadata: ServerMetadata
    do {
        metadata = try ServerMetadata(parsing: bytes)
    } catch {
        expect("\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 }, "an error is one line")
        return
    }
    guard let plain = PlainJSON(bytes, depth: 64) else { return expect(false, "a document is JSON") }
    expect(metadata.issuer.url == plain["issuer"]?.text, "the issuer is the document's")
    expect(isSecure(metadata.issuer.url, query: false), "the issuer is an https URL")
    for (name, path) in endpoints {
        let endpoint = metadata[keyPath: path]
        expect(endpoint?.url == plain[name]?.text, "\(name) is the document's")
        expect(endpoint.map { isSecure($0.url, query: true) } ?? true, "\(name) is an https URL")
    }
    for (name, endpoint) in metadata.mtlsEndpointAliases {
        expect(endpoint.url == plain["mtls_endpoint_aliases"]?[name]?.text, "an alias is the document's")
        expect(isSecure(endpoint.url, query: true), "an alias is an https URL")
    }
    for (name, path) in lists {
        expect(metadata[keyPath: path] == plain[name]?.elements?.compactMap(\.text), "\(name) is the document's")
    }
    let scopes = plain["scopes_supported"]?.elements?.compactMap(\.text).filter(isScopeToken)
    expect(metadata.scopesSupported == scopes, "scopes_supported is the document's without invalid scopes")
    let again = try? ServerMetadata(parsing: JSONNode.parsed(metadata.document).serialized(pretty: true))
    expect(again == metadata, "a document that is written and read again is equal")
}

private let endpoints: [(String, any KeyPath<ServerMetadata, Endpoint?> & Sendable)] = [
    ("authorization_endpoint", \.authorizationEndpoint), ("token_endpoint", \.tokenEndpoint), ("jwks_uri", \.jwksURI),
    ("userinfo_endpoint", \.userinfoEndpoint), ("registration_endpoint", \.registrationEndpoint),
    ("revocation_endpoint", \.revocationEndpoint), ("introspection_endpoint", \.introspectionEndpoint),
    ("device_authorization_endpoint", \.deviceAuthorizationEndpoint),
    ("pushed_authorization_request_endpoint", \.pushedAuthorizationRequestEndpoint),
    ("backchannel_authentication_endpoint", \.backchannelAuthenticationEndpoint),
    ("end_session_endpoint", \.endSessionEndpoint),
]

private let lists: [(String, any KeyPath<ServerMetadata, [String]?> & Sendable)] = [
    ("response_types_supported", \.responseTypesSupported), ("grant_types_supported", \.grantTypesSupported),
    ("code_challenge_methods_supported", \.codeChallengeMethodsSupported),
    ("token_endpoint_auth_methods_supported", \.tokenEndpointAuthMethodsSupported),
]

/// Returns whether a text is a scope token: printable ASCII without space, quotation mark and backslash.
///
/// - SeeAlso: RFC 6749, section 3.3
private func isScopeToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
}

private func isSecure(_ url: String, query: Bool) -> Bool {
    // Foundation rejects some URLs that RFC 3986 allows, such as brackets in a query. Then only check the text.
    guard url.lowercased().hasPrefix("https://"), !url.contains("#") else { return false }
    guard let parts = URLComponents(string: url, encodingInvalidCharacters: false) else { return true }
    return parts.scheme?.lowercased() == "https" && !(parts.host ?? "").isEmpty && parts.user == nil
        && parts.fragment == nil && (query || parts.query == nil)
}
