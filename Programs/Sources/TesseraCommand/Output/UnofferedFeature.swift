// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE

/// A feature that the command line asks for and the provider does not offer: no violation of the protocol.
enum UnofferedFeature {
    /// Endpoints that a provider may leave out, what they are for, and what to do without them.
    private static let endpoints: [(name: String, feature: String, advice: String)] = [
        ("device_authorization_endpoint", "sign-in on another device", "Leave out --device."),
        ("pushed_authorization_request_endpoint", "pushed authorization requests (PAR)", "Leave out --par."),
        (
            "registration_endpoint", "registration by programs",
            "Register a client on the provider's own pages, and name it with --client-id or --client."
        ),
        (
            "userinfo_endpoint", "the user's claims",
            "Use those of the ID token: tessera token --id-token | tessera inspect"
        ),
    ]

    /// The error in the user's words; nil for every other error.
    static func error(_ error: any Error) -> CommandError? {
        guard let violation = error as? ProtocolViolationError else { return nil }
        if violation.rule == .dpopAlgorithm {
            return Self.error(violation, "tokens bound to a key (DPoP) with ES256", "Leave out --dpop.")
        }
        guard violation.rule == .missingMetadata,
            let endpoint = Self.endpoints.first(where: { violation.expected.hasPrefix($0.name + " ") })
        else { return nil }
        return Self.error(violation, endpoint.feature, endpoint.advice)
    }

    private static func error(_ violation: ProtocolViolationError, _ feature: String, _ advice: String) -> CommandError
    {
        CommandError(violation.rule.rawValue, "The provider does not offer \(feature)", advice)
    }
}
