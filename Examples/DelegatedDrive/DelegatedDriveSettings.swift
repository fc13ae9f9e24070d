// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Tessera
import TesseraDefaults
import TesseraGoogle
import TesseraOAuth

/// The settings from the environment.
struct DelegatedDriveSettings: Sendable {
    /// `HTTP_HOST`: the host name or address to listen at.
    var host: String
    /// `HTTP_PORT` or Cloud Run's `PORT`: the port to listen at.
    var port: Int
    /// `SERVICE_ACCOUNT`: the email address of the service account with domain-wide delegation.
    var serviceAccount: String
    /// `WORKSPACE_USER`: the email address of the user whose Drive is listed.
    var user: String
    /// The environment in which the credentials are found.
    var environment: GoogleEnvironment
    /// The transport of all requests.
    var transport: any HTTPTransport

    /// Reads the settings.
    ///
    /// `LOCAL_PROVIDER_URL` is the address of a local provider to use instead of Google.
    ///
    /// - Throws: `InvalidRequestError` if a variable is missing or not valid.
    init(_ variables: [String: String]) throws {
        func required(_ name: String) throws -> String {
            guard let value = variables[name], !value.isEmpty else {
                throw InvalidRequestError(name, reason: "set this environment variable")
            }
            return value
        }
        let port = variables["HTTP_PORT"] ?? variables["PORT"] ?? "8080"
        guard let number = Int(port) else { throw InvalidRequestError("HTTP_PORT", reason: "not a number") }
        self.port = number
        // Containers must listen at all addresses.
        self.host = variables["HTTP_HOST"] ?? (variables["K_SERVICE"] == nil ? "127.0.0.1" : "0.0.0.0")
        self.serviceAccount = try required("SERVICE_ACCOUNT")
        self.user = try required("WORKSPACE_USER")
        var variables = variables
        let transport = PlatformDefaults.transport(insecure: [.loopbackHTTP, .metadataServerHTTP])
        if let provider = variables["LOCAL_PROVIDER_URL"] {
            let local = try LocalTransport(provider: provider, transport: transport)
            variables["GCE_METADATA_HOST"] = local.authority
            self.transport = local
        } else {
            self.transport = transport
        }
        self.environment = GoogleEnvironment(variables: variables, homeDirectory: nil)
    }
}
