// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// A closure that converts a member of a response to the value of a property, or returns nil.
public typealias OIDFieldMappingConversionFunction = (NSObject?) -> Any?

/// The property, type and conversion for a member of a response.
///
/// AppAuth sets properties with Objective-C's key-value coding. Here, only the description of a field is available.
public final class OIDFieldMapping: NSObject {
    /// The name of the property.
    public let name: String
    /// The class of the property's value.
    public let expectedType: AnyClass
    /// The conversion, or nil if the member has the property's type.
    public let conversion: OIDFieldMappingConversionFunction?

    /// Creates a mapping.
    public init(name: String, type: AnyClass, conversion: OIDFieldMappingConversionFunction? = nil) {
        self.name = name
        self.expectedType = type
        self.conversion = conversion
        super.init()
    }

    /// Returns a conversion from an `NSString` to a `URL`.
    ///
    /// Any other object is returned unchanged.
    public class func urlConversion() -> OIDFieldMappingConversionFunction {
        { value in
            guard let text = value as? NSString else { return value }
            return URL(string: text.description)
        }
    }

    /// Returns a conversion from an `NSNumber` of seconds from now to a `Date`.
    ///
    /// The fraction of a second is dropped. Any other object is returned unchanged.
    public class func dateSinceNowConversion() -> OIDFieldMappingConversionFunction {
        { value in
            guard let seconds = Self.seconds(value) else { return value }
            return Date(timeIntervalSinceNow: seconds)
        }
    }

    /// Returns a conversion from an `NSNumber` of seconds since 1970 to a `Date`.
    ///
    /// The fraction of a second is dropped. Any other object is returned unchanged.
    public class func dateEpochConversion() -> OIDFieldMappingConversionFunction {
        { value in
            guard let seconds = Self.seconds(value) else { return value }
            return Date(timeIntervalSince1970: seconds)
        }
    }

    private class func seconds(_ value: NSObject?) -> TimeInterval? {
        (value as? NSNumber)?.doubleValue.rounded(.towardZero)
    }
}

@available(*, unavailable, message: "Key-value coding is not available. Use the additionalParameters of a response.")
extension OIDFieldMapping {
    /// Sets the properties of an instance and returns the members without a property.
    public class func remainingParameters(
        withMap map: [String: OIDFieldMapping],
        parameters: [String: Any],
        instance: Any
    ) -> [String: Any] { parameters }

    /// Encodes the properties of an instance.
    public class func encode(with aCoder: NSCoder, map: [String: OIDFieldMapping], instance: Any) {}

    /// Decodes the properties of an instance.
    public class func decode(with aCoder: NSCoder, map: [String: OIDFieldMapping], instance: Any) {}

    /// Returns the classes that JSON consists of.
    public class func jsonTypes() -> Set<AnyHashable> { [] }
}
