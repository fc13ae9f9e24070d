// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// What Tessera uses of Core Animation. Source: developer.apple.com/documentation/quartzcore/calayer.

#include "CoreGraphics.h"
#include "Foundation.h"

BEGIN_NONNULL

@interface CALayer : NSObject <NSSecureCoding>
@property CGFloat cornerRadius;
@end

END_NONNULL
