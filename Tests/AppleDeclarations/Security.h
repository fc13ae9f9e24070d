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

// SecItem.h names iOS and macOS, and the compiler takes iOS's version for tvOS, watchOS and visionOS.
#define IOS(version, macos_version) SINCE(ios, version) SINCE(macos, macos_version)

#pragma clang arc_cf_code_audited begin
OSStatus SecItemAdd(CFDictionaryRef attributes, CFTypeRef _Nullable *_Nullable CF_RETURNED result) IOS(2.0, 10.6);
OSStatus SecItemCopyMatching(CFDictionaryRef query, CFTypeRef _Nullable *_Nullable CF_RETURNED result) IOS(2.0, 10.6);
OSStatus SecItemUpdate(CFDictionaryRef query, CFDictionaryRef attributesToUpdate) IOS(2.0, 10.6);
OSStatus SecItemDelete(CFDictionaryRef query) IOS(2.0, 10.6);
_Nullable CFStringRef SecCopyErrorMessageString(OSStatus status, void *_Nullable reserved)
    SINCE(ios, 11.3) SINCE(tvos, 11.3) SINCE(watchos, 4.3) SINCE(macos, 10.3);

extern const CFStringRef kSecClass IOS(2.0, 10.6);
extern const CFStringRef kSecClassGenericPassword IOS(2.0, 10.7);
extern const CFStringRef kSecAttrAccessGroup IOS(3.0, 10.9);
extern const CFStringRef kSecAttrAccessible IOS(4.0, 10.9);
extern const CFStringRef kSecAttrAccessibleAfterFirstUnlock IOS(4.0, 10.9);
extern const CFStringRef kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly IOS(4.0, 10.9);
extern const CFStringRef kSecAttrAccessibleAlways
    __attribute__((availability(macos, introduced = 10.9, deprecated = 10.14)))
    __attribute__((availability(ios, introduced = 4.0, deprecated = 12.0)));
extern const CFStringRef kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly IOS(8.0, 10.10);
extern const CFStringRef kSecAttrAccessibleWhenUnlocked IOS(4.0, 10.9);
extern const CFStringRef kSecAttrAccessibleWhenUnlockedThisDeviceOnly IOS(4.0, 10.9);
extern const CFStringRef kSecAttrAccount IOS(2.0, 10.6);
extern const CFStringRef kSecAttrGeneric IOS(2.0, 10.6);
extern const CFStringRef kSecAttrLabel IOS(2.0, 10.6);
extern const CFStringRef kSecAttrService IOS(2.0, 10.6);
extern const CFStringRef kSecMatchLimit IOS(2.0, 10.6);
extern const CFStringRef kSecMatchLimitAll IOS(2.0, 10.6);
extern const CFStringRef kSecMatchLimitOne IOS(2.0, 10.6);
extern const CFStringRef kSecReturnAttributes IOS(2.0, 10.6);
extern const CFStringRef kSecReturnData IOS(2.0, 10.6);
extern const CFStringRef kSecUseDataProtectionKeychain IOS(13.0, 10.15) SINCE(tvos, 13.0) SINCE(watchos, 6.0);
extern const CFStringRef kSecValueData IOS(2.0, 10.6);
#pragma clang arc_cf_code_audited end

END_NONNULL
