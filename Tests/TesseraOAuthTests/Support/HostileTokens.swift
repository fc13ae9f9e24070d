// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraOAuth

/// Tokens that this library would not sign.
///
/// They have the claims of ``IDTokens``. The keys that signed them were discarded.
enum HostileTokens {
    /// An RSA key of 2,048 bits.
    static let rsa = Self.key("r", modulus: Self.modulus)
    /// An RSA key of 1,024 bits.
    static let smallRSA = Self.key("small", modulus: Self.smallModulus)

    private static func key(_ keyID: String, modulus: String) -> JSONNode {
        ["kty": "RSA", "kid": .string(keyID), "n": .string(modulus), "e": "AQAB"]
    }

    private static let modulus =
        "rqOAqx_aO2j22B39intVVoRZFD61Wyb9p66r_3QtHSOtQB2P0xu_c9oKtbO5CZtlMc8FSuRiwjRdvrAVW_XybyUFDYNz"
        + "7ZHPCiOBUpExDKc2TqpZMnokellABHbNbZQT6SRHMMjvF6CXEZkI2sX5UJ3rQH-Rx7chT1bwtk-iTs6picer6DSwnfgv"
        + "AzYPXpurAg2IWN_uahsvhr1E2IUQVzNXCn7oYrf095WxWtb86xODPu1Ex2Aabnipn8nNcHJvETd8W9P5c_Cmdk_jJIl8"
        + "hxEhwSWWrqv7na8Acud_dyogqb9_rHWvNOpdAG7zGKY6iPQU28iSnOnbBah29vqZDw"

    private static let smallModulus =
        "23iSuPPqq3hOQ0FAtWS0dMl1It5I9FZeH-7pteamBGt7-liQ0yEcq3h5Gyvkr5mQDBuh1v9gg2sja5VlFaHKDBn9pgN2"
        + "2bDLUO2s-6cx7WYmwt_woNUDUNG9uonDcCWFFx2OZ9VSbXKfUdQiAyk9qwiNj3QKqgj2-DxGrRdfwvs"

    /// A token with a valid RS256 signature by the 2,048-bit key.
    static let rs256 = Secret(
        "eyJhbGciOiJSUzI1NiIsImtpZCI6InIifQ.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJzdWIiOiJzdWJqZWN0I"
            + "iwiYXVkIjoiY2xpZW50IiwiZXhwIjoxNzAwMDAzNjAwLCJpYXQiOjE3MDAwMDAwMDAsIm5vbmNlIjoibm9uY2UifQ.bS"
            + "yubR34pvFnINgDat-gU8NFGXDXPXV4CbS7lk-2Ey7eYN0SXuM1g2ZU_rwzz2h1NubDdUtu8FU5y8TFntS-nh9bKJ-sR6"
            + "qhcbO8H41p_DFNJHahfjio4wgxnYYvPL5MJEeJDtQDPX0lfPDuxRUtc6cdFc8z8xK2Isu-whVwDviMk6-SuOn0Sp_u-O"
            + "vLYDGCsDF8iLqcxbbU_tqd2bkLdCmIs8s2Si3Hqodsy9Us3wPj-wiZHE523cPV_pdgD4fqrPAWXM9df9zE7ZRYZmlUpb"
            + "WW0XVrNleYrwXS4sglR-bpTD0LjNgLivk62cKRLoXc_9ETvLQZABRJMAidWJhYsA"
    )

    /// A token with an HS256 signature that uses the PEM text of that public key as the secret.
    static let hs256 = Secret(
        "eyJhbGciOiJIUzI1NiIsImtpZCI6InIifQ.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJzdWIiOiJzdWJqZWN0I"
            + "iwiYXVkIjoiY2xpZW50IiwiZXhwIjoxNzAwMDAzNjAwLCJpYXQiOjE3MDAwMDAwMDAsIm5vbmNlIjoibm9uY2UifQ.SW"
            + "SnqPZEBHDik7O-r8FVUEznmIL8G-I_H-fZB_r7wX8"
    )

    /// A token with a mathematically valid RS256 signature by the 1,024-bit key.
    static let smallRS256 = Secret(
        "eyJhbGciOiJSUzI1NiIsImtpZCI6InNtYWxsIn0.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJzdWIiOiJzdWJq"
            + "ZWN0IiwiYXVkIjoiY2xpZW50IiwiZXhwIjoxNzAwMDAzNjAwLCJpYXQiOjE3MDAwMDAwMDAsIm5vbmNlIjoibm9uY2Ui"
            + "fQ.JQV3A4NthdMo7x1uBEqgxLqvzHXNmgzUaxt4bVGa_R3dYsLe7Un0WORWyyTuaLemYedOS0EwGAIdpjbZjwWJJyxom"
            + "RhpZ6b9eRefpkNYXMq0wm73zdSYvKcHxYPDwQP6ylURX-jLbspCzLgmL8aUJtmcoqPHgq2bamqAV-kVKWs"
    )
}
