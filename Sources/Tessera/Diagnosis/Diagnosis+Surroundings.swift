// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraJOSE
public import TesseraOAuth

extension Diagnosis {
    /// Returns findings about the connection to the provider.
    func networkFindings(_ error: any Error) -> [Finding] {
        if let violation = error as? ProtocolViolationError, violation.rule == .jwtTime {
            if let skew = self.record.flatMap({ self.clock($0.history) }) { return [skew] }
            return [Finding(.wrongClock, .possible, "A token from the provider is not valid by this computer's clock.")]
        }
        guard let error = error as? TransportError else { return [] }
        let host = error.host.map { " (\(UntrustedText.printable($0, limit: 80)))" } ?? ""
        switch error.code {
        case .tls:
            return [
                Finding(
                    .interceptedTLS,
                    .possible,
                    "The server's certificate\(host) is not trusted. Possible causes are a proxy that intercepts TLS, "
                        + "a wrong clock, and a self-signed certificate."
                )
            ]
        case .unusableProxy: return [Finding(.proxy, .certain, "\(error.description).")]
        case .nameResolution, .cannotConnect, .timedOut, .connectionLost, .unusableLibrary:
            return [Finding(.unreachable, .certain, "\(error.description).", fix: error.recoverySuggestion)]
        default: return []
        }
    }

    /// Returns a finding about a certificate from an untrusted issuer.
    private static func interception(by issuer: String, at host: String) -> Finding {
        let name = UntrustedText.printable(issuer, limit: 80)
        return Finding(
            .interceptedTLS,
            .likely,
            "The certificate for \(UntrustedText.printable(host, limit: 80)) is signed by “\(name)”, which this system "
                + "does not trust. A proxy or an attacker may be intercepting the connection."
        )
    }

    /// Explains why a certificate was rejected, based on its contents.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that the server presented in the handshake.
    ///   - host: The host of the request.
    ///   - policy: The provider's policy, which lists the expected certificate issuers, or nil.
    ///   - now: The current time according to this computer's clock.
    /// - Returns: The finding, or nil if the certificate does not explain the failure.
    public static func rejectedCertificate(
        _ certificate: ServerCertificate,
        at host: String,
        policy: RefreshTokenPolicy?,
        now: Date
    ) -> Finding? {
        let span =
            "\(TimeDescription.moment(certificate.validFrom)) to \(TimeDescription.moment(certificate.validUntil))"
        guard certificate.validFrom <= now, now <= certificate.validUntil else {
            return Finding(
                .wrongClock,
                .likely,
                "The certificate is valid from \(span), but this computer's clock says \(TimeDescription.moment(now))."
            )
        }
        guard let issuer = certificate.issuer else { return nil }
        if issuer == policy?.certificateIssuers[host] {
            return Finding(
                .interceptedTLS,
                .possible,
                "The certificate for \(host) is signed by “\(issuer)” as expected, but this system does not trust it.",
                fix: "Update this system's certificate authorities (on Debian, the ca-certificates package)."
            )
        }
        return Self.interception(by: issuer, at: host)
    }

    /// Returns a finding if a trusted certificate is not signed by the provider's usual authority.
    public static func unusualCertificate(
        _ certificate: ServerCertificate,
        at host: String,
        policy: RefreshTokenPolicy?
    ) -> Finding? {
        guard let usual = policy?.certificateIssuers[host], let issuer = certificate.issuer, issuer != usual else {
            return nil
        }
        return Finding(
            .interceptedTLS,
            .likely,
            "\(host)'s certificate is signed by “\(UntrustedText.printable(issuer, limit: 80))”, not by “\(usual)”. "
                + "A proxy that this system trusts is intercepting the connection.",
            fix: "Ignore this if your organization inspects TLS traffic. Otherwise, do not use this network."
        )
    }

    /// Returns findings about an error that the store threw.
    func storeFindings(_ error: any Error) -> [Finding] {
        guard let error = error as? StoreError else { return [] }
        let isKeyring = error.location == StoreError.secretServiceLocation
        let code: Finding.Code? =
            switch error.code {
            case .locked: .keyringLocked
            case .unavailable where isKeyring: .keyringAbsent
            case .notPersisted: .storeLosesData
            case .full, .permissionDenied, .otherOwner: .storeUnwritable
            case .corrupt, .keyMissing, .newerFormat: .storeDamaged
            default: nil
            }
        guard let code else { return [] }
        // Several store errors share each of these codes, and their own advice is more specific.
        let shares: [Finding.Code] = [.storeUnwritable, .storeDamaged]
        return [
            Finding(
                code,
                .certain,
                "\(error.description).",
                fix: shares.contains(code) ? error.recoverySuggestion : nil
            )
        ]
    }
}
