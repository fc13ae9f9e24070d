// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// What the browser, the sign-in sheet and the example for macOS use of AppKit. Source: developer.apple.com/documentation/appkit,
// by the name of the class; dotnet/macios, src/appkit.cs. What a delegate may leave out is demanded here, so that a misspelt
// method is noticed.

#include "CoreGraphics.h"
#include "Foundation.h"

BEGIN_NONNULL

typedef CGRect NSRect;
@class NSWindow;

SWIFT_UI_ACTOR
@interface NSResponder : NSObject <NSCoding>
- (instancetype)init __attribute__((objc_designated_initializer));
- (nullable instancetype)initWithCoder:(NSCoder *)coder __attribute__((objc_designated_initializer));
@end
SWIFT_SENDABLE
@interface NSWorkspace : NSObject
@property(class, readonly, strong) NSWorkspace *sharedWorkspace;
- (BOOL)openURL:(NSURL *)url;
@end
SWIFT_UI_ACTOR
@interface NSApplication : NSResponder
@property(class, readonly, strong) NSApplication *sharedApplication;
@property(nullable, readonly, weak) NSWindow *keyWindow;
- (void)activate SINCE(macos, 14.0);
@end
SWIFT_UI_ACTOR
@protocol NSApplicationDelegate <NSObject>
- (void)applicationDidFinishLaunching:(NSNotification *)notification;
- (void)application:(NSApplication *)application openURLs:(NSArray<NSURL *> *)urls;
@end
@class NSViewController;
SWIFT_UI_ACTOR
@interface NSWindow : NSResponder
@property(copy) NSString *title;
+ (instancetype)windowWithContentViewController:(NSViewController *)contentViewController SWIFT_NAME(init(contentViewController:));
- (void)center;
- (void)makeKeyAndOrderFront:(nullable id)sender;
@end
SWIFT_UI_ACTOR
@interface NSView : NSResponder
- (instancetype)initWithFrame:(NSRect)frameRect __attribute__((objc_designated_initializer));
- (nullable instancetype)initWithCoder:(NSCoder *)coder __attribute__((objc_designated_initializer));
@property(nullable, readonly, assign) NSWindow *window;
@property(getter=isHidden) BOOL hidden;
@end
SWIFT_UI_ACTOR
@interface NSViewController : NSResponder
- (instancetype)initWithNibName:(nullable NSString *)nibNameOrNil bundle:(nullable NSBundle *)nibBundleOrNil __attribute__((objc_designated_initializer));
- (nullable instancetype)initWithCoder:(NSCoder *)coder __attribute__((objc_designated_initializer));
@property(strong) NSView *view;
- (void)loadView;
- (void)viewDidLoad;
@end
SWIFT_UI_ACTOR
@interface NSControl : NSView
- (instancetype)initWithFrame:(NSRect)frameRect __attribute__((objc_designated_initializer));
- (nullable instancetype)initWithCoder:(NSCoder *)coder __attribute__((objc_designated_initializer));
@property(copy) NSString *stringValue;
@end
SWIFT_UI_ACTOR
@interface NSTextField : NSControl
+ (instancetype)wrappingLabelWithString:(NSString *)stringValue SWIFT_NAME(init(wrappingLabelWithString:));
@end
typedef ENUM(NSInteger, NSUserInterfaceLayoutOrientation) {
    NSUserInterfaceLayoutOrientationHorizontal = 0,
    NSUserInterfaceLayoutOrientationVertical = 1,
};
typedef struct NSEdgeInsets {
    CGFloat top;
    CGFloat left;
    CGFloat bottom;
    CGFloat right;
} NSEdgeInsets;
SWIFT_UI_ACTOR
@interface NSStackView : NSView
+ (instancetype)stackViewWithViews:(NSArray<NSView *> *)views SWIFT_NAME(init(views:));
@property NSUserInterfaceLayoutOrientation orientation;
@property NSEdgeInsets edgeInsets;
@end

END_NONNULL
