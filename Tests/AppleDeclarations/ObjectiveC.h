// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// What Tessera uses of the Objective-C runtime. Source: github.com/apple-oss-distributions/objc4, runtime/NSObject.h, objc.h.

#include "Darwin.h"

BEGIN_NONNULL

typedef bool BOOL;
typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef struct _NSZone NSZone;
@class NSString;

@protocol NSObject
- (BOOL)isEqual:(nullable id)object;
@property(readonly) NSUInteger hash;
@property(readonly, copy) NSString *description;
@optional
@property(readonly, copy) NSString *debugDescription;
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
- (instancetype)init;
- (id)copy;
- (id)mutableCopy;
+ (Class)class SWIFT_NAME(classForCoder());
- (BOOL)isKindOfClass:(Class)type;
- (BOOL)respondsToSelector:(SEL)selector;
@end

typedef struct objc_method *Method;
_Nullable Class object_getClass(_Nullable id object);
Method _Nonnull *_Nullable class_copyMethodList(_Nullable Class type, unsigned int *_Nullable count);
SEL method_getName(Method method);

END_NONNULL
