// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraJOSE

/// The metadata of a client to register.
struct RegistrationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The provider's issuer URL.", valueName: "url"))
    var issuer: String

    @Option(help: ArgumentHelp("The name on the consent page. (default: tessera)", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            """
            A redirect URI. Can be repeated, and the first one is used. (default: http://127.0.0.1/, with a \
            random port for each sign-in)
            """,
            valueName: "uri"
        )
    )
    var redirectURI: [String] = []

    @Option(help: ArgumentHelp("A scope that the client may request. Can be repeated.", valueName: "scope"))
    var scope: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            How the client authenticates: none, client_secret_basic, client_secret_post or client_secret_jwt. (default: \
            none, if the provider supports it)
            """,
            valueName: "method"
        ),
        completion: .list(Self.methods)
    )
    var authMethod: String?

    @Option(
        help: ArgumentHelp("A file with the initial access token, if the provider requires one.", valueName: "file"),
        completion: .file()
    )
    var initialAccessTokenFile: String?

    @Flag(help: "Accept a client secret without an expiration time, which RFC 7591 requires.")
    var acceptMissingExpiry = false

    @Flag(help: "Allow plain http for a provider on a loopback address.")
    var allowLoopbackHTTP = false

    private static let methods = ["none", "client_secret_basic", "client_secret_post", "client_secret_jwt"]

    func validate() throws {
        try ScopeArgument.validate(self.scope, of: "--scope")
        if let authMethod, !Self.methods.contains(authMethod) {
            throw ValidationError("--auth-method must be one of \(Self.methods.joined(separator: ", ")).")
        }
    }

    var insecure: Insecure { self.allowLoopbackHTTP ? .loopbackHTTP : [] }

    /// The first of these options on the command line that describes a client.
    var firstGiven: String? {
        if self.name != nil { return "--name" }
        if !self.redirectURI.isEmpty { return "--redirect-uri" }
        if !self.scope.isEmpty { return "--scope" }
        if self.authMethod != nil { return "--auth-method" }
        if self.initialAccessTokenFile != nil { return "--initial-access-token-file" }
        return self.acceptMissingExpiry ? "--accept-missing-expiry" : nil
    }

    /// Returns metadata for a native client with the code grant, and the device grant if the server supports it.
    func metadata(at server: ServerMetadata) throws -> ClientMetadata {
        let texts = self.redirectURI.isEmpty ? ["http://127.0.0.1/"] : self.redirectURI
        let redirectURIs: [RedirectURI]
        do { redirectURIs = try texts.map { try RedirectURI($0) } } catch let error as InvalidRequestError {
            throw CommandError.usage("--redirect-uri", error)
        }
        var metadata = ClientMetadata(clientName: self.name ?? "tessera", redirectURIs: redirectURIs)
        metadata.applicationType = "native"
        metadata.responseTypes = ["code"]
        metadata.grantTypes =
            ["authorization_code", "refresh_token"]
            + (server.deviceAuthorizationEndpoint == nil ? [] : ["urn:ietf:params:oauth:grant-type:device_code"])
        metadata.tokenEndpointAuthMethod = self.authMethod ?? Self.method(of: server)
        metadata.idTokenSignedResponseAlg = Self.algorithm(of: server)
        let scopes = ScopeArgument.scopes(self.scope)
        if !scopes.isEmpty { metadata.scopes = scopes }
        return metadata
    }

    /// Returns the preferred supported method, which is `none` if possible because a public client cannot protect a
    /// secret.
    private static func method(of server: ServerMetadata) -> String? {
        guard let methods = server.tokenEndpointAuthMethodsSupported else { return nil }
        return Self.methods.first { methods.contains($0) }
    }

    /// Returns the signing algorithm to request, or nil if RS256, the default, is supported.
    private static func algorithm(of server: ServerMetadata) -> String? {
        guard let names = server.idTokenSigningAlgValuesSupported, !names.contains(JWSAlgorithm.rs256.rawValue) else {
            return nil
        }
        return names.first { JWSAlgorithm.supported.contains(JWSAlgorithm(rawValue: $0)) }
    }

    func initialAccessToken() async throws -> Secret? {
        guard let path = self.initialAccessTokenFile else { return nil }
        return try await FileBytes.readSecret(path, "access token", option: "--initial-access-token-file")
    }
}
