// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

extension NSCoder {
    /// Returns the value under a key, or nil if there is no such key, null, or a value of another type.
    ///
    /// Foundation for Linux ends the process for an absent key and for a class that is not allowed, unless the unarchiver's
    /// owner chose another policy. So absent keys are not decoded, and every plain class is allowed and compared afterwards.
    func value<Value>(_ type: Value.Type = Value.self, forKey key: String) -> Value? {
        guard self.containsValue(forKey: key) else { return nil }
        let plain: [AnyClass] = [
            NSString.self, NSURL.self, NSDate.self, NSNumber.self, NSData.self, NSArray.self, NSDictionary.self,
            NSNull.self,
        ]
        return self.decodeObject(of: plain, forKey: key) as? Value
    }
}
