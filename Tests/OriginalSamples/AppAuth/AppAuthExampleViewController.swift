// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import TesseraGTMAppAuth

/// The screen of AppAuth's Swift sample, which calls the library in the same order.
///
/// Compared with the sample, only the edits that `Docs/Differences.md` names were made: the import, `AppAuthArchive`
/// instead of `NSKeyedArchiver`, and `externalUserAgent:` instead of `presenting:`.
final class AppAuthExampleViewController: UIViewController {
    typealias RegistrationCallback = (OIDServiceConfiguration?, OIDRegistrationResponse?) -> Void

    static let stateKey = "authState"

    let authAutoButton = UIButton()
    let authManualButton = UIButton()
    let codeExchangeButton = UIButton()
    let userinfoButton = UIButton()
    let logTextView = UITextView()

    private let issuer: String
    /// The client, or nil to register one.
    private let clientID: String?
    private let redirectURI: String
    private(set) var authState: OIDAuthState?

    init(issuer: String, clientID: String?, redirectURI: String) {
        self.issuer = issuer
        self.clientID = clientID
        self.redirectURI = redirectURI
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        self.loadState()
        self.updateUI()
    }
}

// The actions of the buttons.
extension AppAuthExampleViewController {
    func authWithAutoCodeExchange(_ sender: UIButton) {
        guard let issuer = URL(string: self.issuer) else { return self.logMessage("No issuer: \(self.issuer)") }
        OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, error in
            guard let configuration = configuration else {
                self.logMessage("Discovery failed: \(error?.localizedDescription ?? "unknown")")
                self.setAuthState(nil)
                return
            }
            self.logMessage("Discovered \(configuration)")
            if let clientID = self.clientID {
                self.doAuthWithAutoCodeExchange(configuration: configuration, clientID: clientID, clientSecret: nil)
            } else {
                self.doClientRegistration(configuration: configuration) { configuration, response in
                    guard let configuration = configuration, let clientID = response?.clientID else {
                        return self.logMessage("No client was registered")
                    }
                    self.doAuthWithAutoCodeExchange(
                        configuration: configuration,
                        clientID: clientID,
                        clientSecret: response?.clientSecret
                    )
                }
            }
        }
    }

    func authNoCodeExchange(_ sender: UIButton) {
        guard let issuer = URL(string: self.issuer) else { return self.logMessage("No issuer: \(self.issuer)") }
        OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, error in
            if let error = error {
                return self.logMessage("Discovery failed: \(error.localizedDescription)")
            }
            guard let configuration = configuration else { return self.logMessage("Discovery failed") }
            if let clientID = self.clientID {
                self.doAuthWithoutCodeExchange(configuration: configuration, clientID: clientID, clientSecret: nil)
            } else {
                self.doClientRegistration(configuration: configuration) { configuration, response in
                    guard let configuration = configuration, let response = response else { return }
                    self.doAuthWithoutCodeExchange(
                        configuration: configuration,
                        clientID: response.clientID,
                        clientSecret: response.clientSecret
                    )
                }
            }
        }
    }

    func codeExchange(_ sender: UIButton) {
        guard let request = self.authState?.lastAuthorizationResponse.tokenExchangeRequest() else {
            return self.logMessage("There is no code to exchange")
        }
        self.logMessage("Exchanging the code with \(request)")
        OIDAuthorizationService.perform(request) { response, error in
            if let response = response {
                self.logMessage("Exchanged for a token: \(response.accessToken ?? "none")")
            } else {
                self.logMessage("Exchange failed: \(error?.localizedDescription ?? "unknown")")
            }
            self.authState?.update(with: response, error: error)
        }
    }

    func userinfo(_ sender: UIButton) {
        let document = self.authState?.lastAuthorizationResponse.request.configuration.discoveryDocument
        guard let endpoint = document?.userinfoEndpoint else { return self.logMessage("No userinfo endpoint") }
        let current: String? = self.authState?.lastTokenResponse?.accessToken
        self.authState?
            .performAction { accessToken, idToken, error in
                if error != nil {
                    return self.logMessage("No fresh token: \(error?.localizedDescription ?? "unknown")")
                }
                guard let accessToken = accessToken else { return self.logMessage("No token") }
                self.logMessage(current == accessToken ? "The token is fresh" : "The token was refreshed")
                var request = URLRequest(url: endpoint)
                request.allHTTPHeaderFields = ["Authorization": "Bearer \(accessToken)"]
                let task = URLSession.shared.dataTask(with: request) { data, response, error in
                    DispatchQueue.main.async { self.showUserinfo(data, response, error) }
                }
                task.resume()
            }
    }

    private func showUserinfo(_ data: Data?, _ response: URLResponse?, _ error: Error?) {
        guard error == nil, let response = response as? HTTPURLResponse, let data = data else {
            return self.logMessage("Request failed: \(error?.localizedDescription ?? "unknown")")
        }
        let json = (try? JSONSerialization.jsonObject(with: data, options: [])) as? [AnyHashable: Any]
        guard response.statusCode == 200 else {
            if response.statusCode == 401 {
                let oauthError = OIDErrorUtilities.resourceServerAuthorizationError(
                    withCode: 0,
                    errorResponse: json,
                    underlyingError: error
                )
                self.authState?.update(withAuthorizationError: oauthError)
                self.logMessage("Authorization error: \(oauthError)")
            } else {
                self.logMessage("Status \(response.statusCode)")
            }
            return
        }
        if let json = json { self.logMessage("Userinfo: \(json["email"] ?? "none")") }
    }

    func trashClicked() {
        self.setAuthState(nil)
        self.updateUI()
    }
}

// The calls of AppAuth.
extension AppAuthExampleViewController {
    private func doClientRegistration(
        configuration: OIDServiceConfiguration,
        callback: @escaping RegistrationCallback
    ) {
        guard let redirectURI = URL(string: self.redirectURI) else { return self.logMessage("No redirect URI") }
        let request: OIDRegistrationRequest = OIDRegistrationRequest(
            configuration: configuration,
            redirectURIs: [redirectURI],
            responseTypes: nil,
            grantTypes: nil,
            subjectType: nil,
            tokenEndpointAuthMethod: "client_secret_post",
            additionalParameters: nil
        )
        OIDAuthorizationService.perform(request) { response, error in
            if let response = response {
                self.setAuthState(OIDAuthState(registrationResponse: response))
                self.logMessage("Registered: \(response)")
                callback(configuration, response)
            } else {
                self.logMessage("Registration failed: \(error?.localizedDescription ?? "unknown")")
                self.setAuthState(nil)
            }
        }
    }

    private func request(
        _ configuration: OIDServiceConfiguration,
        _ clientID: String,
        _ clientSecret: String?
    ) -> OIDAuthorizationRequest? {
        guard let redirectURI = URL(string: self.redirectURI) else { return nil }
        return OIDAuthorizationRequest(
            configuration: configuration,
            clientId: clientID,
            clientSecret: clientSecret,
            scopes: [OIDScopeOpenID, OIDScopeProfile, OIDScopeEmail],
            redirectURL: redirectURI,
            responseType: OIDResponseTypeCode,
            additionalParameters: nil
        )
    }

    private func doAuthWithAutoCodeExchange(
        configuration: OIDServiceConfiguration,
        clientID: String,
        clientSecret: String?
    ) {
        guard let request = self.request(configuration, clientID, clientSecret),
            let appDelegate = UIApplication.shared.delegate as? AppDelegate
        else { return self.logMessage("No request") }
        self.logMessage("Requesting \(request.scope ?? "none")")
        appDelegate.currentAuthorizationFlow = OIDAuthState.authState(
            byPresenting: request,
            externalUserAgent: self
        ) { authState, error in
            if let authState = authState {
                self.setAuthState(authState)
                self.logMessage("Signed in with a token: \(authState.lastTokenResponse?.accessToken ?? "none")")
            } else {
                self.logMessage("Sign-in failed: \(error?.localizedDescription ?? "unknown")")
                self.setAuthState(nil)
            }
        }
    }

    private func doAuthWithoutCodeExchange(
        configuration: OIDServiceConfiguration,
        clientID: String,
        clientSecret: String?
    ) {
        guard let request = self.request(configuration, clientID, clientSecret),
            let appDelegate = UIApplication.shared.delegate as? AppDelegate
        else { return self.logMessage("No request") }
        appDelegate.currentAuthorizationFlow = OIDAuthorizationService.present(
            request,
            externalUserAgent: self
        ) { response, error in
            if let response = response {
                let authState = OIDAuthState(authorizationResponse: response)
                self.setAuthState(authState)
                self.logMessage("Received a code: \(response.authorizationCode ?? "none")")
            } else {
                self.logMessage("Sign-in failed: \(error?.localizedDescription ?? "unknown")")
            }
        }
    }
}

extension AppAuthExampleViewController: OIDAuthStateChangeDelegate, OIDAuthStateErrorDelegate {
    func didChange(_ state: OIDAuthState) { self.stateChanged() }

    func authState(_ state: OIDAuthState, didEncounterAuthorizationError error: Error) {
        self.logMessage("The authorization ended: \(error)")
    }
}

// The state and the screen.
extension AppAuthExampleViewController {
    private func saveState() {
        var data: Data?
        if let authState = self.authState { data = try? AppAuthArchive.archive(authState) }
        UserDefaults(suiteName: "group.com.example.sample")?.set(data, forKey: Self.stateKey)
    }

    private func loadState() {
        let stored = UserDefaults(suiteName: "group.com.example.sample")?.object(forKey: Self.stateKey)
        guard let data = stored as? Data else { return }
        if let authState = try? AppAuthArchive.unarchive(OIDAuthState.self, from: data) { self.setAuthState(authState) }
    }

    private func setAuthState(_ authState: OIDAuthState?) {
        if self.authState == authState { return }
        self.authState = authState
        self.authState?.stateChangeDelegate = self
        self.stateChanged()
    }

    private func updateUI() {
        self.codeExchangeButton.isEnabled =
            self.authState?.lastAuthorizationResponse.authorizationCode != nil
            && !((self.authState?.lastTokenResponse) != nil)
        if let authState = self.authState {
            self.authAutoButton.setTitle("Sign in again", for: .normal)
            self.userinfoButton.isEnabled = authState.isAuthorized ? true : false
        } else {
            self.authAutoButton.setTitle("Sign in", for: .normal)
            self.userinfoButton.isEnabled = false
        }
    }

    private func stateChanged() {
        self.saveState()
        self.updateUI()
    }

    private func logMessage(_ message: String) {
        DispatchQueue.main.async { self.logTextView.text = "\(self.logTextView.text ?? "")\(message)\n" }
    }
}
#endif
