// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import GoogleDriveV3
internal import TesseraSignInButton
internal import Tessera
internal import TesseraDefaults
internal import TesseraFetch
internal import TesseraGTMAppAuth
internal import TesseraGoogle
internal import TesseraGoogleAPI
internal import TesseraGoogleSignIn
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraMigration
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraURLSession
internal import TesseraUserAgents

/// The products that apps use.
public enum AppProducts {
    /// One type of each product.
    public static let types: [Any.Type] = [
        DriveV3.self,
        GoogleSignInButtonStyle.self,
        OAuthSession.self,
        PlatformDefaults.self,
        AuthorizedFetcher.self,
        AuthSession.self,
        GoogleClientFile.self,
        APIService.self,
        GIDSignIn.self,
        CompactJWS.self,
        JSONValue.self,
        KeychainPasswordMove.self,
        Scope.self,
        EncryptedFileStore.self,
        URLSessionTransport.self,
        BrowserCommand.self,
    ]
}
