// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// What the sign-in button, the sign-in sheet and the example for iOS use of UIKit. Source: developer.apple.com/documentation/uikit,
// by the name of the class; availability as in dotnet/macios, src/uikit.cs, and objc2-ui-kit. What a delegate may leave out
// is demanded here, so that a misspelt method is noticed. watchOS has colors, fonts, paths and attributed strings alone.

#include "CoreGraphics.h"
#include "Foundation.h"
#if !TARGET_OS_WATCH
#include "QuartzCore.h"
#endif

BEGIN_NONNULL

SWIFT_SENDABLE
@interface UIColor : NSObject <NSSecureCoding, NSCopying>
- (UIColor *)initWithRed:(CGFloat)red green:(CGFloat)green blue:(CGFloat)blue alpha:(CGFloat)alpha;
@property(class, nonatomic, readonly) UIColor *clearColor;
- (void)setFill;
- (void)setStroke;
@end

typedef CGFloat UIFontWeight SWIFT_NEWTYPE SWIFT_NAME(UIFont.Weight);
extern const UIFontWeight UIFontWeightMedium SINCE(ios, 8.2);
SWIFT_SENDABLE
@interface UIFont : NSObject <NSCopying, NSSecureCoding>
+ (nullable UIFont *)fontWithName:(NSString *)fontName size:(CGFloat)fontSize;
+ (UIFont *)systemFontOfSize:(CGFloat)fontSize weight:(UIFontWeight)weight SINCE(ios, 8.2);
@end

@interface UIBezierPath : NSObject <NSCopying, NSSecureCoding>
- (instancetype)init;
+ (instancetype)bezierPathWithRoundedRect:(CGRect)rect cornerRadius:(CGFloat)cornerRadius;
@property(nonatomic) CGFloat lineWidth;
- (void)moveToPoint:(CGPoint)point;
- (void)addLineToPoint:(CGPoint)point;
- (void)addCurveToPoint:(CGPoint)endPoint controlPoint1:(CGPoint)controlPoint1 controlPoint2:(CGPoint)controlPoint2;
- (void)closePath;
- (void)fill;
- (void)stroke;
@end

// UIFoundation
typedef NAMED_ENUM(NSInteger, NSTextAlignment, NSTextAlignment) {
    NSTextAlignmentLeft = 0,
    NSTextAlignmentCenter = 1,
};
@interface NSParagraphStyle : NSObject <NSCopying, NSMutableCopying, NSSecureCoding>
@property(readonly, nonatomic) NSTextAlignment alignment;
@end
@interface NSMutableParagraphStyle : NSParagraphStyle
@property(nonatomic) NSTextAlignment alignment;
@end
typedef OPTIONS(NSInteger, NSStringDrawingOptions) {
    NSStringDrawingUsesLineFragmentOrigin = 1 << 0,
    NSStringDrawingUsesFontLeading = 1 << 1,
};
@interface NSStringDrawingContext : NSObject
@end
@interface NSAttributedString (NSStringDrawing)
- (CGSize)size;
- (void)drawInRect:(CGRect)rect;
- (CGRect)boundingRectWithSize:(CGSize)size options:(NSStringDrawingOptions)options context:(nullable NSStringDrawingContext *)context;
@end

typedef NSString *UIContentSizeCategory SWIFT_NEWTYPE SINCE(watchos, 4.0);
extern NSNotificationName const UIContentSizeCategoryDidChangeNotification NEVER(watchos)
    SWIFT_NAME(UIContentSizeCategory.didChangeNotification);

#if !TARGET_OS_WATCH
@class UIAction, UIEvent, UIMenu, UIOpenURLContext, UIPress, UIPressesEvent, UIScene, UISceneConnectionOptions, UISceneSession;
@class UITraitCollection, UIViewController, UIWindow, UIWindowScene;

SWIFT_UI_ACTOR
@interface UITraitCollection : NSObject
@end
@interface UIFontMetrics : NSObject
@property(class, readonly, strong) UIFontMetrics *defaultMetrics;
- (CGFloat)scaledValueForValue:(CGFloat)value compatibleWithTraitCollection:(nullable UITraitCollection *)traitCollection
    SWIFT_NAME(scaledValue(for:compatibleWith:)) SINCE(ios, 11.0);
@end

SWIFT_UI_ACTOR
@interface UIResponder : NSObject
- (void)pressesBegan:(NSSet<UIPress *> *)presses withEvent:(nullable UIPressesEvent *)event SINCE(ios, 9.0);
- (void)pressesEnded:(NSSet<UIPress *> *)presses withEvent:(nullable UIPressesEvent *)event SINCE(ios, 9.0);
- (void)pressesCancelled:(NSSet<UIPress *> *)presses withEvent:(nullable UIPressesEvent *)event SINCE(ios, 9.0);
@end
SWIFT_UI_ACTOR
@interface UIEvent : NSObject
@end
SWIFT_UI_ACTOR
@interface UIPressesEvent : UIEvent
@end
typedef NAMED_ENUM(NSInteger, UIPressType, UIPress.PressType) {
    UIPressTypeUpArrow,
    UIPressTypeDownArrow,
    UIPressTypeLeftArrow,
    UIPressTypeRightArrow,
    UIPressTypeSelect,
};
SWIFT_UI_ACTOR
@interface UIPress : NSObject
@property(nonatomic, readonly) UIPressType type;
@end

typedef NAMED_ENUM(NSInteger, UIUserInterfaceLayoutDirection, UIUserInterfaceLayoutDirection) {
    UIUserInterfaceLayoutDirectionLeftToRight,
    UIUserInterfaceLayoutDirectionRightToLeft,
};
typedef uint64_t UIAccessibilityTraits __attribute__((swift_wrapper(struct)));
@interface NSObject (UIAccessibility)
@property(nonatomic) BOOL isAccessibilityElement SWIFT_UI_ACTOR;
@property(nullable, nonatomic, copy) NSString *accessibilityLabel SWIFT_UI_ACTOR;
@property(nonatomic) UIAccessibilityTraits accessibilityTraits SWIFT_UI_ACTOR;
@property(null_resettable, nonatomic, strong) NSArray<NSString *> *accessibilityUserInputLabels SWIFT_UI_ACTOR SINCE(ios, 13.0);
@end

SWIFT_UI_ACTOR
@interface UIFocusUpdateContext : NSObject
@end
SWIFT_UI_ACTOR
@interface UIFocusAnimationCoordinator : NSObject
- (void)addCoordinatedAnimations:(nullable void (^)(void))animations completion:(nullable void (^)(void))completion;
@end

SWIFT_UI_ACTOR
@protocol UIInteraction <NSObject>
@end
SWIFT_UI_ACTOR
@protocol UIPointerInteractionDelegate <NSObject>
@end
SWIFT_UI_ACTOR SINCE(ios, 13.4) NEVER(tvos)
@interface UIPointerInteraction : NSObject <UIInteraction>
- (instancetype)initWithDelegate:(nullable id<UIPointerInteractionDelegate>)delegate __attribute__((objc_designated_initializer));
@end
@class UIShape;
SWIFT_UI_ACTOR SINCE(ios, 17.0) NEVER(tvos)
@interface UIHoverStyle : NSObject <NSCopying>
+ (instancetype)styleWithShape:(nullable UIShape *)shape;
@property(nonatomic, getter=isEnabled) BOOL enabled;
@end
@interface UIShape : NSObject
@end

typedef NAMED_ENUM(NSInteger, UIViewContentMode, UIView.ContentMode) {
    UIViewContentModeScaleToFill,
    UIViewContentModeScaleAspectFit,
    UIViewContentModeScaleAspectFill,
    UIViewContentModeRedraw,
};
SWIFT_UI_ACTOR
@protocol UIAccessibilityIdentification <NSObject>
@property(nullable, nonatomic, copy) NSString *accessibilityIdentifier;
@end

SWIFT_UI_ACTOR
@interface UIView : UIResponder <NSCoding, UIAccessibilityIdentification>
- (instancetype)initWithFrame:(CGRect)frame __attribute__((objc_designated_initializer));
- (nullable instancetype)initWithCoder:(NSCoder *)coder __attribute__((objc_designated_initializer));
@property(nullable, nonatomic, readonly) UIWindow *window;
@property(nonatomic) CGRect frame;
@property(nonatomic) CGRect bounds;
@property(nonatomic) CGAffineTransform transform;
@property(nonatomic, readonly, strong) CALayer *layer;
@property(nullable, nonatomic, copy) UIColor *backgroundColor;
@property(nonatomic, getter=isOpaque) BOOL opaque;
@property(nonatomic) UIViewContentMode contentMode;
@property(nonatomic, readonly) CGSize intrinsicContentSize;
@property(nonatomic, readonly) UIUserInterfaceLayoutDirection effectiveUserInterfaceLayoutDirection SINCE(ios, 10.0);
@property(nonatomic, readonly) UITraitCollection *traitCollection;
- (void)traitCollectionDidChange:(nullable UITraitCollection *)previousTraitCollection SINCE(ios, 8.0);
@property(nonatomic, readonly) BOOL canBecomeFocused;
@property(readonly, nonatomic, getter=isFocused) BOOL focused;
#if !TARGET_OS_TV
@property(nonatomic, nullable, copy) UIHoverStyle *hoverStyle SINCE(ios, 17.0);
#endif
- (void)addInteraction:(id<UIInteraction>)interaction SWIFT_NAME(addInteraction(_:)) SINCE(ios, 11.0);
- (void)didMoveToWindow;
- (void)didUpdateFocusInContext:(UIFocusUpdateContext *)context withAnimationCoordinator:(UIFocusAnimationCoordinator *)coordinator;
- (void)drawRect:(CGRect)rect;
- (void)invalidateIntrinsicContentSize;
- (void)layoutSubviews;
- (BOOL)pointInside:(CGPoint)point withEvent:(nullable UIEvent *)event;
- (void)setNeedsDisplay;
- (void)setNeedsLayout;
- (CGSize)sizeThatFits:(CGSize)size;
@end

typedef NAMED_OPTIONS(NSUInteger, UIControlEvents, UIControl.Event) {
    UIControlEventTouchUpInside = 1 << 6,
    UIControlEventPrimaryActionTriggered = 1 << 13,
};
SWIFT_UI_ACTOR
@interface UIControl : UIView
- (instancetype)initWithFrame:(CGRect)frame __attribute__((objc_designated_initializer));
- (nullable instancetype)initWithCoder:(NSCoder *)coder __attribute__((objc_designated_initializer));
@property(nonatomic, getter=isEnabled) BOOL enabled;
@property(nonatomic, getter=isHighlighted) BOOL highlighted;
- (void)addAction:(UIAction *)action forControlEvents:(UIControlEvents)controlEvents SWIFT_NAME(addAction(_:for:)) SINCE(ios, 14.0) SINCE(tvos, 14.0);
- (void)sendActionsForControlEvents:(UIControlEvents)controlEvents SWIFT_NAME(sendActions(for:));
@end

SWIFT_UI_ACTOR
@interface UIWindow : UIView
- (instancetype)initWithWindowScene:(UIWindowScene *)windowScene SINCE(ios, 13.0);
@property(nullable, nonatomic, weak) UIWindowScene *windowScene SINCE(ios, 13.0);
@property(nullable, nonatomic, strong) UIViewController *rootViewController;
- (void)makeKeyAndVisible;
@end

typedef NAMED_ENUM(NSInteger, UISceneActivationState, UIScene.ActivationState) {
    UISceneActivationStateUnattached = -1,
    UISceneActivationStateForegroundActive,
    UISceneActivationStateForegroundInactive,
    UISceneActivationStateBackground,
};
SWIFT_UI_ACTOR SINCE(ios, 13.0)
@interface UIScene : UIResponder
@property(nonatomic, readonly) UISceneActivationState activationState;
@end
SWIFT_UI_ACTOR SINCE(ios, 13.0)
@interface UIWindowScene : UIScene
@property(nonatomic, readonly, nullable) UIWindow *keyWindow SINCE(ios, 15.0) SINCE(tvos, 15.0);
@end
SWIFT_UI_ACTOR SINCE(ios, 13.0)
@interface UISceneSession : NSObject
@end
SWIFT_UI_ACTOR SINCE(ios, 13.0)
@interface UIOpenURLContext : NSObject
@property(nonatomic, readonly, copy) NSURL *URL;
@end
SWIFT_UI_ACTOR SINCE(ios, 13.0) SWIFT_NAME(UIScene.ConnectionOptions)
@interface UISceneConnectionOptions : NSObject
@property(nonatomic, readonly, copy) NSSet<UIOpenURLContext *> *URLContexts SWIFT_NAME(urlContexts);
@end
SWIFT_UI_ACTOR SINCE(ios, 13.0)
@protocol UISceneDelegate <NSObject>
- (void)scene:(UIScene *)scene willConnectToSession:(UISceneSession *)session options:(UISceneConnectionOptions *)connectionOptions;
- (void)scene:(UIScene *)scene openURLContexts:(NSSet<UIOpenURLContext *> *)URLContexts;
@end
SWIFT_UI_ACTOR SINCE(ios, 13.0)
@protocol UIWindowSceneDelegate <UISceneDelegate>
@property(nullable, nonatomic, strong) UIWindow *window;
@end

SWIFT_UI_ACTOR
@interface UIApplication : UIResponder
@property(class, nonatomic, readonly) UIApplication *sharedApplication;
@property(nonatomic, readonly) NSSet<UIScene *> *connectedScenes SINCE(ios, 13.0);
@end
SWIFT_UI_ACTOR
@protocol UIApplicationDelegate <NSObject>
@end

SWIFT_UI_ACTOR
@interface UINavigationItem : NSObject
@property(nullable, nonatomic, copy) NSString *prompt NEVER(tvos);
@property(nullable, nonatomic, strong) id rightBarButtonItem __attribute__((swift_private));
@end
SWIFT_UI_ACTOR
@interface UIViewController : UIResponder <NSCoding>
- (instancetype)initWithNibName:(nullable NSString *)nibNameOrNil bundle:(nullable NSBundle *)nibBundleOrNil __attribute__((objc_designated_initializer));
- (nullable instancetype)initWithCoder:(NSCoder *)coder __attribute__((objc_designated_initializer));
@property(null_resettable, nonatomic, strong) UIView *view;
@property(nullable, nonatomic, copy) NSString *title;
@property(nonatomic, readonly, strong) UINavigationItem *navigationItem;
- (void)viewDidLoad;
- (void)viewWillLayoutSubviews;
@end
SWIFT_UI_ACTOR
@interface UINavigationController : UIViewController
- (instancetype)initWithRootViewController:(UIViewController *)rootViewController __attribute__((objc_designated_initializer));
@end

SWIFT_SENDABLE
@interface UIImage : NSObject
- (void)drawInRect:(CGRect)rect blendMode:(CGBlendMode)blendMode alpha:(CGFloat)alpha;
@end
SWIFT_UI_ACTOR
@interface UIMenuElement : NSObject
@end
SWIFT_UI_ACTOR
@interface UIMenu : UIMenuElement
@end
SWIFT_UI_ACTOR SINCE(ios, 13.0)
@interface UIAction : UIMenuElement
@end
SWIFT_UI_ACTOR
@interface UIBarButtonItem : NSObject
@end

typedef NAMED_ENUM(NSInteger, UITableViewStyle, UITableView.Style) { UITableViewStylePlain };
@class UITableViewCell;
SWIFT_UI_ACTOR
@interface UITableView : UIView
@property(nonatomic, strong, nullable) UIView *tableHeaderView;
- (void)reloadData;
- (void)registerClass:(nullable Class)cellClass forCellReuseIdentifier:(NSString *)identifier;
@end
SWIFT_UI_ACTOR
@interface UITableViewCell : UIView
@end
SWIFT_UI_ACTOR
@interface UITableViewController : UIViewController
- (instancetype)initWithStyle:(UITableViewStyle)style __attribute__((objc_designated_initializer));
- (instancetype)initWithNibName:(nullable NSString *)nibNameOrNil bundle:(nullable NSBundle *)nibBundleOrNil __attribute__((objc_designated_initializer));
- (nullable instancetype)initWithCoder:(NSCoder *)coder __attribute__((objc_designated_initializer));
@property(nonatomic, strong, null_resettable) UITableView *tableView;
@end
#endif

END_NONNULL
