// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// What Tessera uses of Core Graphics.
// Source: developer.apple.com/documentation/corefoundation/cgaffinetransform.

#include "CoreFoundation.h"

BEGIN_NONNULL

struct CGAffineTransform {
    CGFloat a;
    CGFloat b;
    CGFloat c;
    CGFloat d;
    CGFloat tx;
    CGFloat ty;
};
typedef struct CGAffineTransform CGAffineTransform;

// Source: developer.apple.com/documentation/coregraphics/cgblendmode.
typedef ENUM(int32_t, CGBlendMode) {
    kCGBlendModeNormal,
    kCGBlendModeMultiply,
};

END_NONNULL
