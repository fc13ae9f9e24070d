// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// What the sign-in sheet uses of Authentication Services.
// Source: developer.apple.com/documentation/authenticationservices/aswebauthenticationsession; availability and nullability as in
// dotnet/macios, src/authenticationservices.cs, and objc2-authentication-services.

#include "Foundation.h"
#if TARGET_OS_OSX
#include "AppKit.h"
#else
#include "UIKit.h"
#endif

BEGIN_NONNULL

#if TARGET_OS_OSX
typedef NSWindow *ASPresentationAnchor;
#elif !TARGET_OS_WATCH
typedef UIWindow *ASPresentationAnchor;
#endif

@class ASWebAuthenticationSession;

#define SHEET SINCE(ios, 12.0) SINCE(macos, 10.15) SINCE(watchos, 6.2) SINCE(tvos, 16.0) SINCE(visionos, 1.0)

extern NSErrorDomain const ASWebAuthenticationSessionErrorDomain SHEET;
typedef enum __attribute__((ns_error_domain(ASWebAuthenticationSessionErrorDomain), enum_extensibility(open)))
ASWebAuthenticationSessionErrorCode : NSInteger {
    ASWebAuthenticationSessionErrorCodeCanceledLogin = 1,
    ASWebAuthenticationSessionErrorCodePresentationContextNotProvided = 2,
    ASWebAuthenticationSessionErrorCodePresentationContextInvalid = 3,
} ASWebAuthenticationSessionErrorCode SHEET;

typedef void (^ASWebAuthenticationSessionCompletionHandler)(NSURL *_Nullable callbackURL, NSError *_Nullable error)
    SWIFT_NAME(ASWebAuthenticationSession.CompletionHandler);

#if TARGET_OS_OSX || TARGET_OS_IOS || TARGET_OS_VISION
SWIFT_UI_ACTOR
@protocol ASWebAuthenticationPresentationContextProviding <NSObject>
- (ASPresentationAnchor)presentationAnchorForWebAuthenticationSession:(ASWebAuthenticationSession *)session;
@end
#endif

#define CALLBACK SINCE(ios, 17.4) SINCE(macos, 14.4) SINCE(visionos, 1.1) SINCE(watchos, 10.4) SINCE(tvos, 17.4)

SWIFT_NAME(ASWebAuthenticationSession.Callback) CALLBACK
@interface ASWebAuthenticationSessionCallback : NSObject
+ (instancetype)callbackWithCustomScheme:(NSString *)customScheme SWIFT_NAME(customScheme(_:));
+ (instancetype)callbackWithHTTPSHost:(NSString *)host path:(NSString *)path SWIFT_NAME(https(host:path:));
- (instancetype)init __attribute__((unavailable));
@end

SHEET
@interface ASWebAuthenticationSession : NSObject
- (instancetype)initWithURL:(NSURL *)URL
          callbackURLScheme:(nullable NSString *)callbackURLScheme
          completionHandler:(ASWebAuthenticationSessionCompletionHandler)completionHandler;
- (instancetype)initWithURL:(NSURL *)URL
                   callback:(ASWebAuthenticationSessionCallback *)callback
          completionHandler:(ASWebAuthenticationSessionCompletionHandler)completionHandler CALLBACK;
#if TARGET_OS_OSX || TARGET_OS_IOS || TARGET_OS_VISION
@property(nonatomic, weak, nullable) id<ASWebAuthenticationPresentationContextProviding> presentationContextProvider
    SINCE(ios, 13.0) SINCE(macos, 10.15);
#endif
@property(nonatomic) BOOL prefersEphemeralWebBrowserSession SINCE(ios, 13.0) SINCE(macos, 10.15) NEVER(tvos);
- (BOOL)start;
- (void)cancel;
- (instancetype)init __attribute__((unavailable));
@end

END_NONNULL
