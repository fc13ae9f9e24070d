// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The examples of RFC 8037 (CFRG curves in JOSE), appendix A.
///
/// The signed token of A.4 is in ``SignatureVector``.
enum RFC8037 {
    /// A.1: an Ed25519 private key.
    static let a1 = #"""
        {"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcv\#
        PapiMlrwIaaPcHURo"}
        """#
    /// A.3: the thumbprint of the public key of A.2.
    static let a3 = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    /// A.4: the signed payload.
    static let a4Payload = "Example of Ed25519 signing"
    /// A.6: an X25519 public key.
    static let a6 = #"""
        {"kty":"OKP","crv":"X25519","kid":"Bob","x":"3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08"}
        """#
    /// A.7: an X448 public key.
    static let a7 = #"""
        {"kty":"OKP","crv":"X448","kid":"Dave","x":"PreoKbDNIPW8_AtZm2_sz22kYnEHvbDU80W0MCfYuXL8PjT7QjKhPcG3LV67D2uB73\#
        BxnvzNgmk"}
        """#
}

extension SignatureVector {
    static let rfc8037A4 = Self(
        testDescription: "RFC 8037, appendix A.4",
        key: #"""
            {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
            """#,
        token: """
            eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6\
            dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
            """
    )
}
