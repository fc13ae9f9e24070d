// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// A closure that receives fresh tokens or an error: the access token, the ID token, and the error.
public typealias OIDAuthStateAction = (String?, String?, (any Error)?) -> Void
/// A closure that receives an authorized state or an error.
public typealias OIDAuthStateAuthorizationCallback = (OIDAuthState?, (any Error)?) -> Void
/// A closure that receives a provider's configuration or an error.
public typealias OIDDiscoveryCallback = (OIDServiceConfiguration?, (any Error)?) -> Void
/// A closure that receives a provider's configuration or an error.
public typealias OIDServiceConfigurationCreated = OIDDiscoveryCallback
/// A closure that receives an authorization response or an error.
public typealias OIDAuthorizationCallback = (OIDAuthorizationResponse?, (any Error)?) -> Void
/// A closure that receives the response to a sign-out or an error.
public typealias OIDEndSessionCallback = (OIDEndSessionResponse?, (any Error)?) -> Void
/// A closure that receives a token response or an error.
public typealias OIDTokenCallback = (OIDTokenResponse?, (any Error)?) -> Void
/// A closure that receives a registration or an error.
public typealias OIDRegistrationCompletion = (OIDRegistrationResponse?, (any Error)?) -> Void
/// Parameters for the token endpoint.
public typealias OIDTokenEndpointParameters = NSDictionary
/// A closure that changes the URL of a page, so that a particular browser opens it.
public typealias OIDCustomBrowserURLTransformation = (URL?) -> URL?
