// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// What Tessera uses of Security. Source: github.com/apple-oss-distributions/Security, keychain/headers/SecItem.h, SecBase.h.

#include "CoreFoundation.h"

BEGIN_NONNULL

typedef int32_t OSStatus;
enum {
    errSecSuccess = 0,
    errSecParam = -50,
    errSecDuplicateItem = -25299,
    errSecItemNotFound = -25300,
    errSecInteractionNotAllowed = -25308,
    errSecMissingEntitlement = -34018,
};

#pragma clang arc_cf_code_audited begin
OSStatus SecItemAdd(CFDictionaryRef attributes, CFTypeRef _Nullable *_Nullable CF_RETURNED result);
OSStatus SecItemCopyMatching(CFDictionaryRef query, CFTypeRef _Nullable *_Nullable CF_RETURNED result);
OSStatus SecItemUpdate(CFDictionaryRef query, CFDictionaryRef attributesToUpdate);
OSStatus SecItemDelete(CFDictionaryRef query);
_Nullable CFStringRef SecCopyErrorMessageString(OSStatus status, void *_Nullable reserved)
    SINCE(ios, 11.3) SINCE(tvos, 11.3) SINCE(watchos, 4.3) SINCE(macos, 10.3);

extern const CFStringRef kSecClass;
extern const CFStringRef kSecClassGenericPassword;
extern const CFStringRef kSecAttrAccessGroup SINCE(macos, 10.9);
extern const CFStringRef kSecAttrAccessible SINCE(macos, 10.9);
extern const CFStringRef kSecAttrAccessibleAfterFirstUnlock SINCE(macos, 10.9);
extern const CFStringRef kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly SINCE(macos, 10.9);
extern const CFStringRef kSecAttrAccessibleAlways SINCE(macos, 10.9)
    __attribute__((availability(ios, introduced = 4.0, deprecated = 12.0)));
extern const CFStringRef kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly SINCE(macos, 10.10) SINCE(ios, 8.0);
extern const CFStringRef kSecAttrAccessibleWhenUnlocked SINCE(macos, 10.9);
extern const CFStringRef kSecAttrAccessibleWhenUnlockedThisDeviceOnly SINCE(macos, 10.9);
extern const CFStringRef kSecAttrAccount;
extern const CFStringRef kSecAttrGeneric;
extern const CFStringRef kSecAttrLabel;
extern const CFStringRef kSecAttrService;
extern const CFStringRef kSecMatchLimit;
extern const CFStringRef kSecMatchLimitAll;
extern const CFStringRef kSecMatchLimitOne;
extern const CFStringRef kSecReturnAttributes;
extern const CFStringRef kSecReturnData;
extern const CFStringRef kSecUseDataProtectionKeychain SINCE(macos, 10.15) SINCE(ios, 13.0) SINCE(tvos, 13.0) SINCE(watchos, 6.0);
extern const CFStringRef kSecValueData;
#pragma clang arc_cf_code_audited end

END_NONNULL
