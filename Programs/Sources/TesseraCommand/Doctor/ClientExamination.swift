// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// Asks a provider whether it knows a client, with a refresh token that nobody ever had.
///
/// The answer of a provider that knows the client is `invalid_grant`, of one that does not `invalid_client` (RFC 6749,
/// section 5.2). No token of anybody's is sent, so none can be used up or revoked; the provider's log has one refusal
/// more, whose token says what it was for.
enum ClientExamination {
    private static let probe = Secret("tessera-doctor-asks-whether-this-client-is-known-and-this-is-no-token")

    static func check(_ provider: Provider, _ metadata: ServerMetadata?, runtime: OAuthRuntime) async -> HealthCheck {
        let name = UntrustedText.printable(provider.client.clientID, limit: 80)
        guard let metadata, metadata.tokenEndpoint != nil else {
            return .unknown(.client, "\(name): not asked, since the provider could not be")
        }
        let client = RegisteredClient(
            provider.client,
            metadata: metadata,
            runtime: runtime,
            insecure: provider.insecure
        )
        do {
            _ = try await client.send(TokenRequest.refresh(Self.probe), deadline: .seconds(20))
            return .unknown(.client, "\(name): the provider took a token that is none; it tells nothing")
        } catch OAuthError.Code.invalidGrant {
            return .ok(.client, "\(name) is known to the provider")
        } catch {
            let findings = Diagnosis(of: error, rules: provider.grantRules, now: runtime.now()).findings
            let isRefused = findings.contains {
                [.clientRefused, .clientDeleted, .adminPolicy, .organizationOnly].contains($0.code)
            }
            if isRefused { return .problem(.client, "\(name) is refused", .refused, findings) }
            return .unknown(.client, "\(name): the answer does not tell (\(ErrorReport(error).message))", findings)
        }
    }
}
