// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleSignIn
internal import Testing

@Suite("GIDClaim")
struct GIDClaimTests {
    @Test("Compares claims by name and essential flag")
    func equality() {
        #expect(GIDClaim.authTime() == GIDClaim.authTime())
        #expect(GIDClaim.authTime().hash == GIDClaim.authTime().hash)
        #expect(GIDClaim.authTime() != GIDClaim.essentialAuthTime())
        #expect(Set([GIDClaim.authTime(), .authTime(), .essentialAuthTime()]).count == 2)
        #expect(GIDClaim.essentialAuthTime().name == kAuthTimeClaimName)
        #expect(!GIDClaim.authTime().isEqual("auth_time"))
    }
}
