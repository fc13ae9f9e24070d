// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// An object that supplies a `User-Agent` header.
public protocol GTMUserAgentProvider: AnyObject, Sendable {
    /// The header, if it has already been computed.
    var cachedUserAgent: String? { get }
    /// The header.
    var userAgent: String { get }
}

/// A provider of a fixed `User-Agent` header.
public final class GTMUserAgentStringProvider: NSObject, GTMUserAgentProvider {
    /// The header.
    public let userAgent: String
    /// The header.
    public var cachedUserAgent: String? { self.userAgent }

    /// Creates a provider.
    public init(userAgentString: String) {
        self.userAgent = userAgentString
        super.init()
    }
}

/// A provider of the header that ``GTMFetcherStandardUserAgentString(_:)`` returns.
public final class GTMStandardUserAgentProvider: NSObject, GTMUserAgentProvider {
    /// The header.
    public let userAgent: String
    /// The header.
    public var cachedUserAgent: String? { self.userAgent }

    /// Creates a provider for the app in a bundle, or in the main bundle.
    public init(bundle: Bundle?) {
        self.userAgent = GTMFetcherStandardUserAgentString(bundle)
        super.init()
    }
}

/// Returns a `User-Agent` header with the app's identifier and version and the system's.
///
/// - SeeAlso: [RFC 9110, section 10.1.5](https://www.rfc-editor.org/rfc/rfc9110.html#section-10.1.5)
public func GTMFetcherStandardUserAgentString(_ bundle: Bundle?) -> String {
    "\(GTMFetcherApplicationIdentifier(bundle)) \(GTMFetcherSystemVersionString())"
}

/// Returns the identifier and version of the app in a bundle, or in the main bundle.
///
/// The identifier is `GTMUserAgentID` in Info.plist, or the bundle identifier, or `proc_` and the process name.
public func GTMFetcherApplicationIdentifier(_ bundle: Bundle?) -> String {
    let bundle = bundle ?? .main
    if let id = bundle.object(forInfoDictionaryKey: "GTMUserAgentID") as? String, !id.isEmpty { return id }
    let identifier = bundle.bundleIdentifier.map { $0 } ?? "proc_\(ProcessInfo.processInfo.processName)"
    let versions = ["CFBundleShortVersionString", "CFBundleVersion"].lazy
        .compactMap { bundle.object(forInfoDictionaryKey: $0) as? String }
        .first { !$0.isEmpty }
    let cleaned = GTMFetcherCleanedUserAgentString(identifier)
    return versions.map { "\(cleaned)/\(GTMFetcherCleanedUserAgentString($0))" } ?? cleaned
}

/// Returns the name and version of the system.
public func GTMFetcherSystemVersionString() -> String {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    var number = "\(version.majorVersion).\(version.minorVersion)"
    if version.patchVersion != 0 { number += ".\(version.patchVersion)" }
    return "\(systemName)/\(number)"
}

#if canImport(WatchKit)
private let systemName = "watchOS"
#elseif canImport(TVUIKit)
private let systemName = "tvOS"
#elseif canImport(UIKit)
private let systemName = "iOS"
#elseif canImport(AppKit)
private let systemName = "MacOSX"
#else
private let systemName = "Linux"
#endif

/// Returns a text without the characters that a product name in a `User-Agent` header cannot have.
///
/// A space becomes `_`. Only letters, digits and `._-` remain.
///
/// - SeeAlso: [RFC 9110, section 10.1.5](https://www.rfc-editor.org/rfc/rfc9110.html#section-10.1.5)
public func GTMFetcherCleanedUserAgentString(_ str: String) -> String {
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    return String(str.map { $0 == " " ? "_" : $0 }.filter { allowed.contains($0) })
}
