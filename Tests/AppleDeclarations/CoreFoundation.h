// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// What Tessera uses of Core Foundation, whose types Swift imports as classes. Source: CF-Lite (github.com/apple-oss-distributions/CF),
// CFBase.h, CFString.h, CFDictionary.h, CFCGTypes.h of the SDK.

#include "Darwin.h"

BEGIN_NONNULL

#define CF_RETURNED __attribute__((cf_returns_retained))
#define BRIDGED(class) __attribute__((objc_bridge(class)))
#pragma clang arc_cf_code_audited begin
typedef const void *CFTypeRef BRIDGED(id);
typedef const struct BRIDGED(NSString) __CFString *CFStringRef;
typedef const struct BRIDGED(NSDictionary) __CFDictionary *CFDictionaryRef;
typedef const struct BRIDGED(NSData) __CFData *CFDataRef;
typedef const struct BRIDGED(NSArray) __CFArray *CFArrayRef;
typedef const struct BRIDGED(NSNumber) __CFBoolean *CFBooleanRef;
typedef const struct BRIDGED(NSError) __CFError *CFErrorRef;
typedef long CFIndex;
typedef unsigned long CFTypeID;
extern const CFBooleanRef kCFBooleanTrue;
extern const CFBooleanRef kCFBooleanFalse;
CFTypeID CFGetTypeID(CFTypeRef value);
CFTypeID CFBooleanGetTypeID(void);
#pragma clang arc_cf_code_audited end

#if __LP64__
typedef double CGFloat;
#else
typedef float CGFloat;
#endif
struct CGPoint {
    CGFloat x;
    CGFloat y;
};
struct CGSize {
    CGFloat width;
    CGFloat height;
};
struct CGRect {
    struct CGPoint origin;
    struct CGSize size;
};
typedef struct CGPoint CGPoint;
typedef struct CGSize CGSize;
typedef struct CGRect CGRect;

END_NONNULL
