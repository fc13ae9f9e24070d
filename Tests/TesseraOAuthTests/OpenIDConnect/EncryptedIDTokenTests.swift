// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("Encrypted ID tokens")
struct EncryptedIDTokenTests {
    /// The example of RFC 7516, appendix A.1, which no test decrypts.
    private static let jwe = Secret(
        """
        eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.OKOawDo13gRp2ojaHV7LFpZcgV7T6DVZKTyKOMTYUmKoTCVJRgckCL9kiMT03J\
        GeipsEdY3mx_etLbbWSrFr05kLzcSr4qKAq7YN7e9jwQRb23nfa6c9d-StnImGyFDbSv04uVuxIp5Zms1gNxKKK2Da14B8S4rzVRltdYwam_l\
        Dp5XnZAYpQdb76FdIKLaVmqgfwX7XWRxv2322i-vDxRfqNzo_tETKzpVLzfiwQyeyPGLBIO56YJ7eObdv0je81860ppamavo35UgoRdbYaBcoh\
        9QcfylQr66oc6vFWXRcZ_ZT2LawVCWTIy3brGPi6UklfCpIMfIjf7iGdXKHzg.48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7T\
        ALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6jiSdiwkIr3ajwQzaBtQD_A.XFBoMYUZodetZdvTiFvSkQ
        """
    )

    private struct Undecryptable: Error, CustomStringConvertible {
        let description = "canary-of-the-key"
    }

    /// Validates a token that the caller decrypts to `inner`.
    private static func validate(_ token: Secret, _ inner: Secret) throws -> ValidatedIDToken {
        try IDTokens.validate(token) { $0.decrypt = { _ in inner } }
    }

    @Test("Rejects an encrypted token without a decryption function, and the error names JWE", .covers(96))
    func refused() throws {
        let error = #expect(throws: ProtocolViolationError.self) { try IDTokens.validate(Self.jwe) }
        #expect(error?.rule == .jweUnsupported)
        #expect("\(error, default: "")".contains("JWE"))
    }

    @Test("Decrypts an encrypted token with the caller's function and validates the inner token", .covers(96))
    func decrypted() throws {
        let inner = try IDTokens.token()
        let seen = Mutex<Secret?>(nil)
        let validated = try IDTokens.validate(Self.jwe) { policy in
            policy.decrypt = { token in
                seen.withLock { $0 = token }
                return inner
            }
        }
        #expect(seen.withLock { $0 } == Self.jwe)
        #expect(validated.token == inner)
        #expect(validated.claims.subject == "subject")
    }

    @Test("Does not call the decryption function for a token that is not encrypted")
    func plain() throws {
        let result = outcome { try IDTokens.validate(IDTokens.token()) { $0.decrypt = { _ in throw Undecryptable() } } }
        #expect(result == "accepted")
    }

    private static func hostileTokens() throws -> [(Secret, String)] {
        let unsigned = Secret(base64URL(#"{"alg":"none"}"#) + "." + base64URL(IDTokens.claims()) + ".")
        let forged = try IDTokens.otherKey.get()
            .sign(
                payload: Array(IDTokens.claims().utf8),
                header: [JSONMember(name: "kid", value: .string(try IDTokens.key.get().keyID ?? ""))]
            )
        return [
            (unsigned, "jws.algorithm"), (Secret(forged), "jws.signature"),
            (try IDTokens.token(["iss": "\"https://evil.example\""]), "jwt.issuer"),
            (try IDTokens.token(["aud": "\"other\""]), "jwt.audience"),
            (try IDTokens.token(["exp": "1"]), "jwt.time"),
            (try IDTokens.token(["nonce": "\"other\""]), "idToken.nonce"),
            (Secret(IDTokens.claims()), "jws.format"), (Secret(""), "jws.format"), (Self.jwe, "jwe.unsupported"),
        ]
    }

    @Test(
        "Rejects a decrypted token that fails any check",
        .covers(82, 85, 89, 90, 91, 92, 96),
        arguments: try Self.hostileTokens()
    )
    func inner(inner: Secret, expected: String) throws {
        #expect(outcome { try Self.validate(Self.jwe, inner) } == expected)
    }

    @Test("The error for a failed decryption does not contain the caller's error text", .covers(96, 124))
    func undecryptable() throws {
        let error = #expect(throws: ProtocolViolationError.self) {
            try IDTokens.validate(Self.jwe) { $0.decrypt = { _ in throw Undecryptable() } }
        }
        #expect(error?.rule == .jweDecryption)
        #expect(error?.actual == "Undecryptable")
        #expect(!"\(error, default: "")".contains("canary"))
    }

    @Test("Rejects a token longer than 64 KiB before decrypting it", .covers(81))
    func length() throws {
        let long = Secret("e30.e30.e30." + String(repeating: "A", count: CompactJWS.maximumLength) + ".e30")
        let inner = try IDTokens.token()
        #expect(outcome { try Self.validate(long, inner) } == "jws.format")
    }
}
