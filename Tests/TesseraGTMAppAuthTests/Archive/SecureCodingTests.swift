// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("Secure coding")
struct SecureCodingTests {
    @Test("Every class of an archive overrides supportsSecureCoding itself")
    func classes() throws {
        // The stand-in for NSError exists on Linux only.
        for known in AppAuthArchive.classes where known.name != "NSError" {
            #expect(throws: Never.self, "\(known.name)") { try AppleCoder.check(known.type) }
        }
    }

    @Test("A coder with Apple's rule gives back every object")
    func copies() throws {
        for value in try Samples.all() { #expect(type(of: try AppleCoder.copy(value)) == type(of: value)) }
        let state = OIDAuthState(
            authorizationResponse: try Samples.authorizationResponse(),
            tokenResponse: try Samples.tokenResponse(),
            registrationResponse: try Samples.registrationResponse()
        )
        #expect(try AppleCoder.copy(AuthSession(authState: state, userID: "ada")).userID == "ada")
    }

    @Test("The rule is broken by a class that leaves supportsSecureCoding to its superclass")
    func violations() throws {
        try AppleCoder.check(Overriding.self)
        #expect(throws: AppleCoder.Violation.self) { try AppleCoder.check(Reading.self) }
        #expect(throws: AppleCoder.Violation.self) { try AppleCoder.check(Inheriting.self) }
        #expect(throws: AppleCoder.Violation.self) { try AppleCoder.check(NSObject.self) }
    }

    @Test("Classes have their module's name at run time, so that AppAuth can be linked too")
    func names() {
        for known in AppAuthArchive.classes {
            #expect(NSStringFromClass(known.type).hasPrefix("TesseraGTMAppAuth."), "\(known.name)")
        }
    }
}

private final class Overriding: AppAuthValue, @unchecked Sendable {
    private let url: URL?

    override class var supportsSecureCoding: Bool { true }

    required init?(coder: NSCoder) {
        self.url = nil
        super.init(coder: coder)
    }
}

private final class Reading: AppAuthValue, @unchecked Sendable {
    private let url: URL?

    required init?(coder: NSCoder) {
        self.url = nil
        super.init(coder: coder)
    }

    override func encode(with coder: NSCoder) {}
}

private final class Inheriting: AppAuthValue, @unchecked Sendable {}
