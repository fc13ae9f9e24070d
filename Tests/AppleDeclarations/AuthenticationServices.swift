// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// swift-format-ignore-file

// What the sign-in sheet uses of Apple's AuthenticationServices framework, as its interface declares it, so that the
// sheet can be type-checked where there is no Apple. A completion handler is called on any thread as far as is known here,
// and a callback is not `Sendable`: what compiles so compiles with more.
//
// Source: https://developer.apple.com/documentation/authenticationservices

public import Foundation
#if canImport(UIKit)
public import UIKit

public typealias ASPresentationAnchor = UIWindow
#else
public import AppKit

public typealias ASPresentationAnchor = NSWindow
#endif

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    open class Callback: NSObject {
        open class func customScheme(_ customScheme: String) -> Self { fatalError("for type-checking alone") }
        open class func https(host: String, path: String) -> Self { fatalError("for type-checking alone") }
    }

    public init(
        url URL: URL,
        callback: ASWebAuthenticationSession.Callback,
        completionHandler: @escaping ASWebAuthenticationSession.CompletionHandler
    ) {}

    weak open var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    open var prefersEphemeralWebBrowserSession: Bool { get { false } set {} }
    open func start() -> Bool { false }
    open func cancel() {}
}

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided
        case presentationContextInvalid
    }

    public var code: ASWebAuthenticationSessionError.Code { .canceledLogin }
}
