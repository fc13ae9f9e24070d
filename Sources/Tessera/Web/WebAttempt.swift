// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// The stored data of a sign-in attempt while the user is at the provider.
struct WebAttempt: Sendable {
    let authorization: Secret
    let path: LocalPath
    /// The options from ``WebSignIn/begin(scopes:in:returningTo:options:)`` that are needed to finish the attempt.
    ///
    /// Nil if an earlier version stored the attempt.
    let options: WebAttemptOptions?

    init(authorization: Secret, path: LocalPath, options: WebAttemptOptions?) {
        self.authorization = authorization
        self.path = path
        self.options = options
    }

    private static let location = "a pending sign-in"

    /// - Throws: ``StoreError`` with the code `corrupt` if the bytes cannot be read.
    init(decoding bytes: [UInt8]) throws {
        do {
            let fields = try JSONFields(
                parsing: bytes,
                rule: .storedRecord,
                section: "the stored attempt's format",
                subject: "the attempt"
            )
            guard let path = LocalPath(try fields.requiredString("path")) else {
                throw StoreError(.corrupt, location: Self.location, detail: "it cannot be read")
            }
            self.init(
                authorization: Secret(try fields.requiredString("authorization")),
                path: path,
                options: try fields.present("options")
                    .map { try WebAttemptOptions(decoding: try fields.child("options", $0)) }
            )
        } catch {
            throw StoreError(.corrupt, location: Self.location, detail: "it cannot be read")
        }
    }

    var encoded: [UInt8] {
        JSONNode.present([
            ("authorization", .secret(self.authorization)),
            ("path", .string(self.path.path)),
            ("options", self.options?.node),
        ])
        .serialized()
    }
}

/// The options of a sign-in that are needed when its redirect arrives.
///
/// The remaining options are stored in the pending authorization, such as values that the response must match and the
/// deadline, or are used only for the request.
struct WebAttemptOptions: Sendable {
    let requiredClaims: [String: String]
    let additionalTokenParameters: [String: String]
    let authorizedOrigins: [OriginPattern]
    let label: String?
    let clientType: String?
    let redirectURI: String?
    let serverClientID: String?
    /// Whether the user is identified by a custom function, which cannot be stored.
    let isIdentifiedByCaller: Bool

    init(_ options: SignInOptions) {
        self.requiredClaims = options.requiredClaims
        self.additionalTokenParameters = options.additionalTokenParameters
        self.authorizedOrigins = options.authorizedOrigins
        self.label = options.label
        self.clientType = options.clientType
        self.redirectURI = options.redirectURI
        self.serverClientID = options.serverClientID
        self.isIdentifiedByCaller = options.identity.isCaller
    }

    fileprivate init(decoding fields: JSONFields) throws {
        self.requiredClaims = try fields.map("requiredClaims")
        self.additionalTokenParameters = try fields.map("additionalTokenParameters")
        self.authorizedOrigins = try (try fields.strings("authorizedOrigins") ?? []).map { try OriginPattern($0) }
        self.label = try fields.string("label")
        self.clientType = try fields.string("clientType")
        self.redirectURI = try fields.string("redirectURI")
        self.serverClientID = try fields.string("serverClientID")
        self.isIdentifiedByCaller = try fields.bool("isIdentifiedByCaller") ?? false
    }

    fileprivate var node: JSONNode {
        .present([
            ("requiredClaims", .map(self.requiredClaims)),
            ("additionalTokenParameters", .map(self.additionalTokenParameters)),
            ("authorizedOrigins", .strings(self.authorizedOrigins.map(\.description))),
            ("label", .text(self.label)),
            ("clientType", .text(self.clientType)),
            ("redirectURI", .text(self.redirectURI)),
            ("serverClientID", .text(self.serverClientID)),
            ("isIdentifiedByCaller", .bool(self.isIdentifiedByCaller)),
        ])
    }

    /// Returns the options passed to `finish`, merged with those stored at the beginning of the attempt.
    ///
    /// - Throws: `InvalidRequestError` if both require different values of a claim or identify the user differently.
    func merged(into end: SignInOptions) throws -> SignInOptions {
        guard end.identity.isCaller == self.isIdentifiedByCaller else {
            throw InvalidRequestError("identity", reason: "begin and finish must use the same kind of identity source")
        }
        var options = end
        for (name, value) in self.requiredClaims {
            guard end.requiredClaims[name]?.isExactly(value) ?? true else {
                throw InvalidRequestError(
                    "requiredClaims",
                    reason: "begin and finish require different values of \(name)"
                )
            }
            options.requiredClaims[name] = value
        }
        options.additionalTokenParameters.merge(self.additionalTokenParameters) { later, _ in later }
        options.authorizedOrigins += self.authorizedOrigins
        options.label = end.label ?? self.label
        options.clientType = end.clientType ?? self.clientType
        options.redirectURI = end.redirectURI ?? self.redirectURI
        options.serverClientID = end.serverClientID ?? self.serverClientID
        return options
    }
}

extension IdentitySource {
    fileprivate var isCaller: Bool {
        switch self {
        case .idToken: false
        case .caller: true
        }
    }
}
