// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import Testing

/// A token signed by another implementation, with the key that verifies it.
struct SignatureVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: String
    let token: String

    func jwk() throws -> JWK { try JWK(parsing: JSONValue(parsing: self.key)) }

    static let all: [Self] = [
        .rfc7515A2, .rfc7515A3, .rfc7515A4, .rfc7520Section4Part1, .rfc7520Section4Part2, .rfc7520Section4Part3,
        .rfc8037A4, .rfc9449Section4, .rfc9449Section5, .rfc9449Section7, .rs384, .rs512, .ps256, .ps384, .ps512,
        .es384,
    ]

    static let rs384 = Self(
        testDescription: "RS384, made with joserfc",
        key: Self.rsaKey,
        token: """
            eyJhbGciOiJSUzM4NCJ9.eyJzdWIiOiIyNDgyODk3NjEwMDEifQ.GH9V476Qr6aGbMvs28QZ6XCxJqQgpbjh-JblmyfWflMJu11x\
            34saitAtoo3QW0r6SsH-MDYzs9fHotJfubFk02Ckft4c0gZHdb6wDIYJG98MgfKdoAdvnBqkhNZtpcIqIabXV7AzWMDTI4Lg3G8n\
            1l1YcXpprUz_VCF-dhrKDNI24cMqTeigCkQQ6Lj8bGXPejsy_5PZt1i8yj0Cm0qqRhpuQBiqGxn5CfJI-pHC_bKjgCCi3AMKVsrZ\
            lz3KVLuLjV6DxS9EcgVfNP1m_otIqe9UNcsGchGWZQknmLzV16GtLniKf3TAeh_hZc10CqY01XDDz9wtro-LHdqf65DsFg
            """
    )
    static let rs512 = Self(
        testDescription: "RS512, made with joserfc",
        key: Self.rsaKey,
        token: """
            eyJhbGciOiJSUzUxMiJ9.eyJzdWIiOiIyNDgyODk3NjEwMDEifQ.pLqwDZmhd1e5IxZsgGTYB_Dw-tsShmNJzWM3x8WsxJigugj0\
            -4sci2nQE_d30IBr0V87DKDyitccL4KjC1RlP0k8if9wmeJEwMBmpA_dLZy74gcIrMISxus0nAlK17Fblgk_lgiutTFg9v5vmWN4\
            49bDONYKMOyH4k8pET3kp4qPsfYvMXdHsrQcT3YQbcsVh89IL1PEIboRn84Xaur4A5LwAlMQvSO-1i-_pmu95KNleQxuiERDIgBM\
            EippgLzGXIDNaCufSKDAEAJ7zjHT0s0xT9bijks2viGaWcF97BF8wWqO9X9fSeiEO4ec4xNclQsO2K4IM8N_dg7Z_PAIqg
            """
    )
    static let ps256 = Self(
        testDescription: "PS256, made with joserfc",
        key: Self.rsaKey,
        token: """
            eyJhbGciOiJQUzI1NiJ9.eyJzdWIiOiIyNDgyODk3NjEwMDEifQ.GLYRKTNtumpG7VoPdSDl92bhU-jfOMf4Wid92gnE2e4c5kc1\
            o-EWuECLj7R5JN4yqPpQE_jLxQZ9YhFJql9B5J-jci3IXmCHz-c0cFUXPJwuoXD0cF0hW5KSlyki--CD1cvbbg4GpOh0HgHllZRl\
            4QRMZqsfWUkipir4j5akGddFPo7xdj2xkA064iQUyYnyoCUuz9XcKB6MeyJinU4yAJEWpel4OfGexPZ2wf0m6JzaiKvpkOwHfSFr\
            OmpJLBZG8LOGzFbpBcgoCClROJhimsi3w8Xw0eTmkY4tF4cMy-hFUoSDND2nBXxlH6Hc2CS-n0qRHpwPN_X6lbrEeplCvw
            """
    )
    static let ps384 = Self(
        testDescription: "PS384, made with joserfc",
        key: Self.rsaKey,
        token: """
            eyJhbGciOiJQUzM4NCJ9.eyJzdWIiOiIyNDgyODk3NjEwMDEifQ.HujB5grMClywSd2GrWr09lau9aDeP8jTNw_1-3Pi5jDbA79M\
            9TTA6L-E9GIQ5LWF2QaM33uCjRmX25eldn35PnbYwpDKlugc8tqZ4P8_Zr9nSyZjtrbl34eo-9EyoTXJ48c4ghjIR7SnnT0gx77Z\
            y2Irxqy6EAcvvoMPle5MCcmKw3iFGMylRCS2xyRfzWHBb1xyWZiAjJ4NUkRzrrX6at3qYezIZ7Ed-tt1UdLofSQfSXt_XktJQxZI\
            Ha2HVvAPKIGI99nRr6q4cJBkyjvM9Njp_U1hXnwr4B_snFDvPsJTSv7kpBZz_4Nt3-xb8rcz7Ruveg7b8Vle-nfYIBbfrQ
            """
    )
    static let ps512 = Self(
        testDescription: "PS512, made with joserfc",
        key: Self.rsaKey,
        token: """
            eyJhbGciOiJQUzUxMiJ9.eyJzdWIiOiIyNDgyODk3NjEwMDEifQ.AICF4OYBBr0eLoK7ged8N2WnUalhgyfGqY0GLiZfLY9X_S4t\
            OAxtO9wLeL_T7stoxz4_-gcWaLE6_sRBenequm8jQzF67zFuQhp22JXFnhGVnZWb8HMiRgfqLNQJ7ZLzd6zFnAh7NR2x0PPLup9c\
            luKylUo6JXQxZhClihzgUxjjBK7BkuXcv4k7RSvbOd90tMjcm7wPdTyHIv9_rIeF3l2T-vXKI7aT5LVxRDIJ1JkV4WKo1DyiBmR-\
            bFdEaQui7glKV3F_1J0iTIsAovd5TW7j9lnIC-FD5K47Gxw3oc-Gzegl0EubR7OmWVnvqlbMf4gHmm_hx1UhKShM2M2qnw
            """
    )
    static let es384 = Self(
        testDescription: "ES384, made with joserfc",
        key: #"""
            {"crv":"P-384","x":"-ps5xErmc3VLXXkQM8UiAWDn7t8HMBKQ09uqmIEue3cY2dS9byFarxEQgsrkNv0F","y":"35njDFqho\#
            KF030JBcTTWU3bvaiIhen05bw4Kzg-yXpEUo3_zab8IxcNFO1KDiu98","kty":"EC"}
            """#,
        token: """
            eyJhbGciOiJFUzM4NCJ9.eyJzdWIiOiIyNDgyODk3NjEwMDEifQ.TEhB6bxVetmht5RdGtDx9i7qFHPQquiLJN99coI96TI_vriT\
            4KxePEHpbst-SuMQYKGfNErsaaau2Qxb2qPkSqTVdz4-VqgDzD4wbuudusN8D5ToeWKpKrWV23eQ4TWq
            """
    )

    /// A 1,024-bit RSA key and a token that it signed.
    static let small = Self(
        testDescription: "RSA with 1024 bits",
        key: #"""
            {"n":"zn5sGxg0DsCjyS49ZO6DTnOyjimzBzNch1nyPz7rnw_ZbzJKrQn-rB42aCy8jdKm59bcjuDRF_GhTPVECq9ISTYwoHufeF\#
            JlZtOpNms59M1BNgxDa8H5TAvzw3iV0HQtpMQm11APem6ovGM85_UeCmcsqLojv0QvXvz3snNGBaE","e":"AQAB","kty":"RSA\#
            "}
            """#,
        token: """
            eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIyNDgyODk3NjEwMDEifQ.YfrHcTHPFLCil02LXJIkPz8w2eh-WLNzZ8LlW8r5NeweH0nG\
            RysBv26ztLHaZ2s-kCIpOM6S0UnxUDn7XwxSES8fyBMFtzQicPzK7hgC5pk4IjVTsEvlM9YIJdAEeMIKAV_gTHq0XTLXbfD21yoS\
            RiQc0JnXEnZA8dFmFt2Iprc
            """
    )

    private static let rsaKey = #"""
        {"n":"qDsqX6paiTKpqZ4CrZeMdhbC8NXmbmFEn8d0yP6otVUfhHTIHKdFhB09e_5iTMvmgHCXQ-MT6due11eotF_wSfQiBiaVSn\#
        iVLvk9a4wsU2MX49s9j7pg-He7v1h8lxtGAWT4LlhTUNWvSSX1XjLWZa5c0MQcoJkyhXaBTbQYmDeD1QTXfmTBvnz7dMJUWnXIEf\#
        lG1y4388loc43gP-YTOSNk0ZZiTfxVNRsJXARSRzqBZB21jjI3bQThXjOMqwzrphQiJYAjMH7e079psDX-Mw6WDfObuS483N6OLZ\#
        NNv1N29nvJR1Ldz-1aydxrqxSy6_AFzKrEo01otVQEOrLHbQ","e":"AQAB","kty":"RSA"}
        """#
}
