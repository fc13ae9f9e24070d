// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("Secure coding")
struct SecureCodingTests {
    @Test("Overrides supportsSecureCoding in every archived class")
    func classes() throws {
        // The substitute for NSError exists only on Linux.
        for known in AppAuthArchive.classes where known.name != "NSError" {
            #expect(throws: Never.self, "\(known.name)") { try AppleCoder.check(known.type) }
        }
    }

    @Test("Restores every object with a coder that enforces Apple's rule")
    func copies() throws {
        for value in try Samples.all() { #expect(type(of: try AppleCoder.copy(value)) == type(of: value)) }
        let state = OIDAuthState(
            authorizationResponse: try Samples.authorizationResponse(),
            tokenResponse: try Samples.tokenResponse(),
            registrationResponse: try Samples.registrationResponse()
        )
        #expect(try AppleCoder.copy(AuthSession(authState: state, userID: "ada")).userID == "ada")
    }

    @Test("Rejects a class that inherits supportsSecureCoding from its superclass")
    func violations() throws {
        try AppleCoder.check(Overriding.self)
        #expect(throws: AppleCoder.Violation.self) { try AppleCoder.check(Reading.self) }
        #expect(throws: AppleCoder.Violation.self) { try AppleCoder.check(Inheriting.self) }
        #expect(throws: AppleCoder.Violation.self) { try AppleCoder.check(NSObject.self) }
    }

    @Test("Uses module-qualified class names at run time so that AppAuth can be linked too")
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
