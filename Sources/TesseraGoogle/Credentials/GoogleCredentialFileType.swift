// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A type of credential file, which determines what a file can make the program do.
///
/// External accounts are separated by the source of their subject token, because a file from outside can name any file,
/// URL or program.
public struct GoogleCredentialFileType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The `type` in the file and, for external accounts, the source of the subject token.
    public let rawValue: String
    /// Creates a type from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name of the type.
    public var description: String { self.rawValue }

    /// A user's refresh token.
    public static let authorizedUser = Self(rawValue: "authorized_user")
    /// A service account's private key.
    public static let serviceAccount = Self(rawValue: "service_account")
    /// An external account whose subject token is in a file.
    public static let externalAccountFile = Self(rawValue: "external_account (file)")
    /// An external account whose subject token comes from a URL.
    public static let externalAccountURL = Self(rawValue: "external_account (url)")
    /// An external account whose subject token comes from a program.
    public static let externalAccountExecutable = Self(rawValue: "external_account (executable)")
    /// An external account on AWS.
    public static let externalAccountAWS = Self(rawValue: "external_account (aws)")
    /// An external account with a client certificate.
    public static let externalAccountX509 = Self(rawValue: "external_account (x509)")
    /// A signed-in user of a workforce pool.
    public static let externalAccountAuthorizedUser = Self(rawValue: "external_account_authorized_user")
    /// A service account that other credentials in the file act as.
    public static let impersonatedServiceAccount = Self(rawValue: "impersonated_service_account")

    /// All types.
    public static let all: Set<Self> = [
        .authorizedUser, .serviceAccount, .externalAccountFile, .externalAccountURL, .externalAccountExecutable,
        .externalAccountAWS, .externalAccountX509, .externalAccountAuthorizedUser, .impersonatedServiceAccount,
    ]
}

extension GoogleCredentialFileType {
    /// Returns the type of a file.
    ///
    /// - Throws: ``GoogleCredentialsError`` with `unsupportedType` or `invalidFile`.
    init(of file: CredentialFile) throws(GoogleCredentialsError) {
        let name = try file.type()
        switch name {
        case "external_account": self = try Self.externalAccount(file)
        case "gdch_service_account":
            throw Self.unsupported(name, file, advice: "Use a service account key or workload identity federation.")
        case _ where Self.all.contains(Self(rawValue: name)): self.init(rawValue: name)
        default:
            if file.has("installed") || file.has("web") {
                throw Self.unsupported("OAuth client", file, advice: "Sign in with it, or use a service account key.")
            }
            throw Self.unsupported(name, file, advice: "Create a credential file of a supported type.")
        }
    }

    private static func externalAccount(_ file: CredentialFile) throws(GoogleCredentialsError) -> Self {
        guard let source = try file.child("credential_source") else {
            throw file.invalid("credential_source is missing")
        }
        // google-auth selects the type in this order.
        if try file.string("subject_token_type") == "urn:ietf:params:aws:token-type:aws4_request" {
            return .externalAccountAWS
        }
        if source.has("executable") { return .externalAccountExecutable }
        let types: [(name: String, type: Self)] = [
            ("file", .externalAccountFile), ("url", .externalAccountURL), ("certificate", .externalAccountX509),
        ]
        let present = types.filter { source.has($0.name) }
        guard let type = present.first, present.count == 1, !source.has("environment_id") else {
            throw file.invalid("credential_source must contain exactly one of file, url, executable and certificate")
        }
        return type.type
    }

    private static func unsupported(
        _ name: String,
        _ file: CredentialFile,
        advice: String
    ) -> GoogleCredentialsError {
        GoogleCredentialsError(
            .unsupportedType,
            at: file.path,
            reason: "credentials of the type \(name.printable(limit: 60)) are not supported",
            advice: advice
        )
    }
}
