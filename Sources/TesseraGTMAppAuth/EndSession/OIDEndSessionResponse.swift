// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// What the redirect after a sign-out brought.
///
/// `@unchecked`, as ``AppAuthValue`` says: each property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, section 3](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RedirectionAfterLogout)
open class OIDEndSessionResponse: AppAuthValue, @unchecked Sendable {
    /// What was asked.
    public let request: OIDEndSessionRequest
    /// `state`; nil where none came, or several.
    public let state: String?
    private let additional: JSONParameters

    /// Takes the parameters of a redirect.
    public init(request: OIDEndSessionRequest, parameters: [String: Any]) {
        let members = JSONParameters(parameters)
        self.request = request
        self.state = members.text("state")
        self.additional = members.others(than: ["state"])
        super.init()
    }

    /// Always true.
    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil where the request is missing or anything is of the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        self.state = archive.text("state")
        self.additional = archive.parameters("additionalParameters") ?? JSONParameters([])
        guard let request = archive.object("request", OIDEndSessionRequest.self), archive.isWhole else { return nil }
        self.request = request
        super.init(coder: coder)
    }

    /// Writes everything.
    override open func encode(with coder: NSCoder) {
        coder.encode(self.request, forKey: "request")
        coder.encode(text: self.state, forKey: "state")
        coder.encode(self.additional.archived, forKey: "additionalParameters")
    }

    /// The other parameters; empty where there were none.
    public var additionalParameters: [String: Any]? { self.additional.dictionary }
}
