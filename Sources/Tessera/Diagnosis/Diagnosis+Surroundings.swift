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
    /// What is wrong between here and the provider.
    func networkFindings(_ error: any Error) -> [Finding] {
        if let violation = error as? ProtocolViolationError, violation.rule == .jwtTime {
            if let skew = self.record.flatMap({ self.clock($0.history) }) { return [skew] }
            return [Finding(.wrongClock, .possible, "A token of the provider's is not valid now by the clock here.")]
        }
        guard let error = error as? TransportError else { return [] }
        let host = error.host.map { " (\(UntrustedText.printable($0, limit: 80)))" } ?? ""
        switch error.code {
        case .tls:
            return [
                Finding(
                    .interceptedTLS,
                    .possible,
                    "The certificate\(host) is not one that this system trusts: a proxy that reads what passes, a wrong "
                        + "clock, or a server with a certificate of its own."
                )
            ]
        case .unusableProxy: return [Finding(.proxy, .certain, "\(error.description).")]
        case .nameResolution, .cannotConnect, .timedOut, .connectionLost, .unusableLibrary:
            return [Finding(.unreachable, .certain, "\(error.description).", fix: error.recoverySuggestion)]
        default: return []
        }
    }

    /// A certificate that nobody here trusts, by who signed it.
    private static func interception(by issuer: String, at host: String) -> Finding {
        let name = UntrustedText.printable(issuer, limit: 80)
        return Finding(
            .interceptedTLS,
            .likely,
            "The certificate for \(UntrustedText.printable(host, limit: 80)) is signed by “\(name)”, whom this system "
                + "does not trust: somebody between here and there reads what passes."
        )
    }

    /// Why a certificate was not accepted, by what it says of itself.
    ///
    /// - Parameters:
    ///   - certificate: what answered in the handshake.
    ///   - host: for whom.
    ///   - rules: who should have signed it.
    ///   - now: the clock here.
    /// - Returns: the finding; nil where nothing is known.
    public static func rejectedCertificate(
        _ certificate: ServerCertificate,
        at host: String,
        rules: GrantRules?,
        now: Date
    ) -> Finding? {
        let span = "\(SpokenTime.moment(certificate.validFrom)) to \(SpokenTime.moment(certificate.validUntil))"
        guard certificate.validFrom <= now, now <= certificate.validUntil else {
            return Finding(
                .wrongClock,
                .likely,
                "The certificate is valid from \(span), and the clock here says \(SpokenTime.moment(now))."
            )
        }
        guard let issuer = certificate.issuer else { return nil }
        if issuer == rules?.certificateIssuers[host] {
            return Finding(
                .interceptedTLS,
                .possible,
                "The certificate for \(host) is signed by “\(issuer)”, as it should be, and not accepted here.",
                fix: "Update this system's list of authorities (Debian: ca-certificates)."
            )
        }
        return Self.interception(by: issuer, at: host)
    }

    /// That a certificate which this system trusts is signed by somebody else than the provider's usual authority.
    public static func unusualCertificate(
        _ certificate: ServerCertificate,
        at host: String,
        rules: GrantRules?
    ) -> Finding? {
        guard let usual = rules?.certificateIssuers[host], let issuer = certificate.issuer, issuer != usual else {
            return nil
        }
        return Finding(
            .interceptedTLS,
            .likely,
            "\(host)'s certificates are signed by “\(usual)”; this one is by “\(UntrustedText.printable(issuer, limit: 80))”: "
                + "a proxy that this system trusts reads what passes.",
            fix: "Right in an organisation that does so; wrong anywhere else."
        )
    }

    /// What is wrong with the store.
    func storeFindings(_ error: any Error) -> [Finding] {
        guard let error = error as? StoreError else { return [] }
        let isKeyring = error.place == StoreError.secretServicePlace
        let code: Finding.Code? =
            switch error.code {
            case .locked: .keyringLocked
            case .unavailable where isKeyring: .keyringAbsent
            case .notKept: .storeLies
            case .full, .permissionDenied, .otherOwner: .storeUnwritable
            case .corrupt, .keyMissing, .newerFormat: .storeDamaged
            default: nil
            }
        guard let code else { return [] }
        // The code of the store's error has the better advice where several share one finding.
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
