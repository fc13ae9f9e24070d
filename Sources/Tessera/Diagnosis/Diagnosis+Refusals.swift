// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

extension Diagnosis {
    /// What the provider's own words say.
    func refusals(_ error: any Error) -> [Finding] {
        guard let error = error as? OAuthError, let code = self.code(of: error) else { return [] }
        let name = UntrustedText.printable(error.subtype ?? error.code.rawValue, limit: 60)
        return [Finding(code, .certain, "\(self.sentence(code)) (\(name)).")]
    }

    private func code(of error: OAuthError) -> Finding.Code? {
        let names = [error.subtype, error.code.rawValue].compactMap { $0 }
        if let code = names.lazy.compactMap({ self.rules?.refusals[$0] }).first { return code }
        return switch error.code {
        case .invalidClient: .clientRefused
        case .unauthorizedClient: .clientUnauthorized
        default: nil
        }
    }

    private func sentence(_ code: Finding.Code) -> String {
        switch code {
        case .reauthentication: "The account's organisation wants the person to sign in again from time to time"
        case .adminPolicy: "An administrator of the account's organisation does not allow this access"
        case .organizationOnly: "The client is for accounts of its own organisation alone"
        case .clientDeleted: "The client was deleted at the provider"
        case .clientRefused: "The provider does not know the client, or its secret is another one by now"
        case .clientUnauthorized: "The client may not do this at the provider"
        default: "The provider said no"
        }
    }
}
