// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// What Tessera uses of Foundation's Objective-C classes. Source: developer.apple.com/documentation/foundation, by the name of
// the class; nullability and availability as in its bindings objc2-foundation (Rust) and dotnet/macios (C#).

#include "CoreFoundation.h"
#include "ObjectiveC.h"

BEGIN_NONNULL

@class NSArray<ObjectType>, NSAttributedString, NSBundle, NSCoder, NSData, NSDate, NSDictionary<KeyType, ObjectType>, NSError;
@class NSHTTPURLResponse, NSInputStream, NSOperationQueue, NSSet<ObjectType>, NSURL, NSURLRequest, NSURLResponse;

typedef double NSTimeInterval;
typedef unsigned short unichar;

@protocol NSCopying
- (id)copyWithZone:(nullable NSZone *)zone;
@end
@protocol NSMutableCopying
- (id)mutableCopyWithZone:(nullable NSZone *)zone;
@end
@protocol NSCoding
- (void)encodeWithCoder:(NSCoder *)coder;
- (nullable instancetype)initWithCoder:(NSCoder *)coder;
@end
@protocol NSSecureCoding <NSCoding>
@property(class, readonly) BOOL supportsSecureCoding;
@end

Class _Nullable NSClassFromString(NSString *name);
SEL NSSelectorFromString(NSString *name);
NSString *NSStringFromClass(Class type);

@interface NSObject (NSKeyValueCoding)
- (nullable id)valueForKey:(NSString *)key;
@end
@interface NSCoder : NSObject
- (void)encodeObject:(nullable id)object forKey:(NSString *)key;
- (void)encodeBool:(BOOL)value forKey:(NSString *)key;
- (void)encodeInteger:(NSInteger)value forKey:(NSString *)key;
- (void)encodeDouble:(double)value forKey:(NSString *)key;
- (BOOL)containsValueForKey:(NSString *)key;
- (nullable id)decodeObjectForKey:(NSString *)key;
- (BOOL)decodeBoolForKey:(NSString *)key;
- (NSInteger)decodeIntegerForKey:(NSString *)key;
- (double)decodeDoubleForKey:(NSString *)key;
- (nullable id)decodeObjectOfClass:(Class)type forKey:(NSString *)key __attribute__((swift_private));
- (nullable id)decodeObjectOfClasses:(nullable NSSet<Class> *)types forKey:(NSString *)key __attribute__((swift_private));
- (void)failWithError:(NSError *)error;
@property(readonly) BOOL requiresSecureCoding;
@property(readonly) BOOL allowsKeyedCoding;
@property(readonly, copy, nullable) NSError *error;
@end
@interface NSKeyedArchiver : NSCoder
- (instancetype)initRequiringSecureCoding:(BOOL)requiresSecureCoding SINCE(ios, 11.0) SINCE(macos, 10.13);
+ (nullable NSData *)archivedDataWithRootObject:(id)object requiringSecureCoding:(BOOL)requiresSecureCoding error:(NSError **)error SINCE(ios, 11.0) SINCE(macos, 10.13);
- (void)finishEncoding;
@property(readonly, strong) NSData *encodedData;
- (void)setClassName:(nullable NSString *)name forClass:(Class)type;
+ (void)setClassName:(nullable NSString *)name forClass:(Class)type;
@end
@interface NSKeyedUnarchiver : NSCoder
- (nullable instancetype)initForReadingFromData:(NSData *)data error:(NSError **)error SINCE(ios, 11.0) SINCE(macos, 10.13);
- (void)finishDecoding;
@property BOOL requiresSecureCoding;
@property(readwrite) NSInteger decodingFailurePolicy __attribute__((swift_private));
- (void)setClass:(nullable Class)type forClassName:(NSString *)name;
+ (void)setClass:(nullable Class)type forClassName:(NSString *)name;
+ (nullable Class)classForClassName:(NSString *)name;
@end
extern NSString *const NSKeyedArchiveRootObjectKey;

__attribute__((swift_bridge("Swift.String")))
@interface NSString : NSObject <NSCopying, NSMutableCopying, NSSecureCoding>
- (instancetype)initWithString:(NSString *)text;
@property(readonly) NSUInteger length;
@property(readonly) BOOL boolValue;
@property(readonly, copy) NSString *stringByDeletingLastPathComponent SWIFT_NAME(deletingLastPathComponent);
@end
@interface NSMutableString : NSString
@end
@interface NSValue : NSObject <NSCopying, NSSecureCoding>
@end
@interface NSNumber : NSValue
- (NSNumber *)initWithBool:(BOOL)value SWIFT_NAME(init(value:));
- (NSNumber *)initWithInteger:(NSInteger)value SWIFT_NAME(init(value:));
- (NSNumber *)initWithLongLong:(long long)value SWIFT_NAME(init(value:));
- (NSNumber *)initWithDouble:(double)value SWIFT_NAME(init(value:));
@property(readonly) BOOL boolValue;
@property(readonly) double doubleValue;
@property(readonly) NSInteger integerValue SWIFT_NAME(intValue);
@property(readonly) long long longLongValue SWIFT_NAME(int64Value);
@property(readonly) const char *objCType;
@property(readonly, copy) NSString *stringValue;
@end
__attribute__((swift_bridge("Foundation.Date")))
@interface NSDate : NSObject <NSCopying, NSSecureCoding>
- (instancetype)initWithTimeIntervalSinceReferenceDate:(NSTimeInterval)seconds;
@property(readonly) NSTimeInterval timeIntervalSinceReferenceDate;
@end
__attribute__((swift_bridge("Foundation.Data")))
@interface NSData : NSObject <NSCopying, NSMutableCopying, NSSecureCoding>
@property(readonly) NSUInteger length;
@end
__attribute__((swift_bridge("Foundation.URL")))
@interface NSURL : NSObject <NSCopying, NSSecureCoding>
- (nullable instancetype)initWithString:(NSString *)text;
@property(nullable, readonly, copy) NSString *absoluteString;
@end
__attribute__((swift_bridge("Foundation.IndexPath")))
@interface NSIndexPath : NSObject <NSCopying, NSSecureCoding>
@end
@interface NSNull : NSObject <NSCopying, NSSecureCoding>
@end
__attribute__((swift_bridge("Swift.Array")))
@interface NSArray<__covariant ObjectType> : NSObject <NSCopying, NSMutableCopying, NSSecureCoding>
- (instancetype)initWithArray:(NSArray<ObjectType> *)array;
@property(readonly) NSUInteger count;
@end
@interface NSMutableArray<ObjectType> : NSArray<ObjectType>
@end
__attribute__((swift_bridge("Swift.Dictionary")))
@interface NSDictionary<__covariant KeyType, __covariant ObjectType> : NSObject <NSCopying, NSMutableCopying, NSSecureCoding>
- (instancetype)initWithDictionary:(NSDictionary<KeyType, ObjectType> *)other;
- (instancetype)initWithObjects:(NSArray<ObjectType> *)objects forKeys:(NSArray<id<NSCopying>> *)keys;
@property(readonly) NSUInteger count;
- (nullable ObjectType)objectForKey:(KeyType)key;
@property(readonly, copy) NSArray<KeyType> *allKeys;
@end
@interface NSMutableDictionary<KeyType, ObjectType> : NSDictionary<KeyType, ObjectType>
@end
__attribute__((swift_bridge("Swift.Set")))
@interface NSSet<__covariant ObjectType> : NSObject <NSCopying, NSMutableCopying, NSSecureCoding>
@property(readonly) NSUInteger count;
@end

typedef NSString *NSErrorDomain;
typedef NSString *NSErrorUserInfoKey;
SWIFT_SENDABLE __attribute__((swift_bridge("Swift.Error")))
@interface NSError : NSObject <NSCopying, NSSecureCoding>
- (instancetype)initWithDomain:(NSErrorDomain)domain code:(NSInteger)code userInfo:(nullable NSDictionary<NSErrorUserInfoKey, id> *)userInfo;
@property(readonly, copy) NSErrorDomain domain;
@property(readonly) NSInteger code;
@property(readonly, copy) NSDictionary<NSErrorUserInfoKey, id> *userInfo;
@property(readonly, copy) NSString *localizedDescription;
@property(nullable, readonly, copy) NSString *localizedRecoverySuggestion;
@end
extern NSErrorDomain const NSCocoaErrorDomain;
extern NSErrorDomain const NSOSStatusErrorDomain;
extern NSErrorDomain const NSPOSIXErrorDomain;
extern NSErrorDomain const NSURLErrorDomain;
enum : NSInteger {
    NSURLErrorCancelled = -999,
    NSURLErrorBadURL = -1000,
    NSURLErrorTimedOut = -1001,
    NSURLErrorCannotFindHost = -1003,
    NSURLErrorCannotConnectToHost = -1004,
    NSURLErrorNetworkConnectionLost = -1005,
    NSURLErrorHTTPTooManyRedirects = -1007,
    NSURLErrorNotConnectedToInternet = -1009,
    NSURLErrorBadServerResponse = -1011,
    NSURLErrorAppTransportSecurityRequiresSecureConnection = -1022,
    NSURLErrorDataLengthExceedsMaximum = -1103,
};
extern NSErrorUserInfoKey const NSDebugDescriptionErrorKey;
extern NSErrorUserInfoKey const NSLocalizedDescriptionKey;
extern NSErrorUserInfoKey const NSLocalizedFailureReasonErrorKey;
extern NSErrorUserInfoKey const NSLocalizedRecoverySuggestionErrorKey;
extern NSErrorUserInfoKey const NSUnderlyingErrorKey;
extern NSErrorUserInfoKey const NSURLErrorKey;

typedef NSString *NSAttributedStringKey SWIFT_NEWTYPE SWIFT_NAME(NSAttributedString.Key);
@interface NSAttributedString : NSObject <NSCopying, NSMutableCopying, NSSecureCoding>
- (instancetype)initWithString:(NSString *)text attributes:(nullable NSDictionary<NSAttributedStringKey, id> *)attributes;
@end

SWIFT_SENDABLE
SWIFT_NAME(Bundle)
@interface NSBundle : NSObject
@property(class, readonly, strong) NSBundle *mainBundle;
- (nullable instancetype)initWithURL:(NSURL *)url;
@property(readonly, copy, nullable) NSString *bundleIdentifier;
@property(readonly, copy) NSString *bundlePath;
@property(readonly, copy) NSURL *bundleURL;
@property(readonly, copy, nullable) NSDictionary<NSString *, id> *infoDictionary;
@property(readonly, copy) NSArray<NSString *> *preferredLocalizations;
- (nullable id)objectForInfoDictionaryKey:(NSString *)key;
@end

typedef struct { NSInteger majorVersion; NSInteger minorVersion; NSInteger patchVersion; } NSOperatingSystemVersion SWIFT_NAME(OperatingSystemVersion);
SWIFT_SENDABLE
SWIFT_NAME(ProcessInfo)
@interface NSProcessInfo : NSObject
@property(class, readonly, strong) NSProcessInfo *processInfo;
@property(readonly, copy) NSDictionary<NSString *, NSString *> *environment;
@property(readonly, copy) NSArray<NSString *> *arguments;
@property(copy) NSString *processName;
@property(readonly) NSOperatingSystemVersion operatingSystemVersion SINCE(ios, 8.0) SINCE(macos, 10.10);
@property(readonly) NSTimeInterval systemUptime;
// macOS does not suspend programs.
- (void)performExpiringActivityWithReason:(NSString *)reason usingBlock:(SWIFT_SENDABLE void (^)(BOOL expired))block
    SINCE(ios, 8.2) SINCE(tvos, 9.0) SINCE(watchos, 2.0) SINCE(visionos, 1.0) NEVER(macos);
@end

@class NSFileManager, NSPropertyListSerialization;
typedef NSString *NSFileAttributeKey SWIFT_NEWTYPE SWIFT_NAME(FileAttributeKey);
typedef NSString *NSFileProtectionType SWIFT_NEWTYPE SWIFT_NAME(FileProtectionType);
extern NSFileAttributeKey const NSFilePosixPermissions SWIFT_NAME(FileAttributeKey.posixPermissions);
extern NSFileAttributeKey const NSFileModificationDate SWIFT_NAME(FileAttributeKey.modificationDate);
extern NSFileAttributeKey const NSFileOwnerAccountName SWIFT_NAME(FileAttributeKey.ownerAccountName);
extern NSFileAttributeKey const NSFileSize SWIFT_NAME(FileAttributeKey.size);
extern NSFileAttributeKey const NSFileProtectionKey SWIFT_NAME(FileAttributeKey.protectionKey);
extern NSFileProtectionType const NSFileProtectionCompleteUntilFirstUserAuthentication;
typedef NAMED_ENUM(NSUInteger, NSSearchPathDirectory, NSFileManager.SearchPathDirectory) {
    NSLibraryDirectory = 5,
    NSDocumentDirectory = 9,
    NSCachesDirectory = 13,
    NSApplicationSupportDirectory = 14,
};
typedef NAMED_OPTIONS(NSUInteger, NSSearchPathDomainMask, NSFileManager.SearchPathDomainMask) {
    NSUserDomainMask = 1,
};
typedef NSString *NSURLResourceKey SWIFT_NEWTYPE SWIFT_NAME(URLResourceKey);
extern NSURLResourceKey const NSURLFileSizeKey;
extern NSURLResourceKey const NSURLIsExcludedFromBackupKey;
typedef NAMED_OPTIONS(NSUInteger, NSDirectoryEnumerationOptions, NSFileManager.DirectoryEnumerationOptions) {
    NSDirectoryEnumerationSkipsHiddenFiles = 1 << 2,
};
SWIFT_SENDABLE
SWIFT_NAME(FileManager)
@interface NSFileManager : NSObject
@property(class, readonly, strong) NSFileManager *defaultManager;
@property(readonly, copy) NSString *currentDirectoryPath;
@property(readonly, copy) NSURL *temporaryDirectory;
- (NSArray<NSURL *> *)URLsForDirectory:(NSSearchPathDirectory)directory inDomains:(NSSearchPathDomainMask)domains SWIFT_NAME(urls(for:in:));
- (BOOL)createFileAtPath:(NSString *)path contents:(nullable NSData *)data attributes:(nullable NSDictionary<NSFileAttributeKey, id> *)attributes;
- (BOOL)createDirectoryAtURL:(NSURL *)url withIntermediateDirectories:(BOOL)intermediates attributes:(nullable NSDictionary<NSFileAttributeKey, id> *)attributes error:(NSError **)error;
- (BOOL)fileExistsAtPath:(NSString *)path;
- (nullable NSArray<NSURL *> *)contentsOfDirectoryAtURL:(NSURL *)url includingPropertiesForKeys:(nullable NSArray<NSURLResourceKey> *)keys options:(NSDirectoryEnumerationOptions)options error:(NSError **)error;
- (nullable NSArray<NSString *> *)contentsOfDirectoryAtPath:(NSString *)path error:(NSError **)error;
- (nullable NSData *)contentsAtPath:(NSString *)path;
- (BOOL)setAttributes:(NSDictionary<NSFileAttributeKey, id> *)attributes ofItemAtPath:(NSString *)path error:(NSError **)error;
- (nullable NSDictionary<NSFileAttributeKey, id> *)attributesOfItemAtPath:(NSString *)path error:(NSError **)error;
- (BOOL)moveItemAtPath:(NSString *)path toPath:(NSString *)other error:(NSError **)error;
- (BOOL)linkItemAtPath:(NSString *)path toPath:(NSString *)other error:(NSError **)error;
- (BOOL)copyItemAtPath:(NSString *)path toPath:(NSString *)other error:(NSError **)error;
- (BOOL)createDirectoryAtPath:(NSString *)path withIntermediateDirectories:(BOOL)intermediates attributes:(nullable NSDictionary<NSFileAttributeKey, id> *)attributes error:(NSError **)error;
- (BOOL)createSymbolicLinkAtPath:(NSString *)path withDestinationPath:(NSString *)destination error:(NSError **)error;
- (BOOL)removeItemAtURL:(NSURL *)url error:(NSError **)error;
- (BOOL)removeItemAtPath:(NSString *)path error:(NSError **)error;
- (nullable NSURL *)containerURLForSecurityApplicationGroupIdentifier:(NSString *)group SINCE(ios, 7.0) SINCE(macos, 10.8);
@end
SWIFT_NAME(FileHandle) SWIFT_SENDABLE
@interface NSFileHandle : NSObject <NSSecureCoding>
+ (nullable instancetype)fileHandleForWritingAtPath:(NSString *)path;
+ (nullable instancetype)fileHandleForReadingAtPath:(NSString *)path;
+ (nullable instancetype)fileHandleForReadingFromURL:(NSURL *)url error:(NSError **)error;
+ (nullable instancetype)fileHandleForWritingToURL:(NSURL *)url error:(NSError **)error;
- (BOOL)seekToOffset:(unsigned long long)offset error:(NSError **)error SWIFT_NAME(seek(toOffset:)) SINCE(ios, 13.0) SINCE(macos, 10.15);
- (BOOL)closeAndReturnError:(NSError **)error SWIFT_NAME(close()) SINCE(ios, 13.0) SINCE(macos, 10.15);
- (BOOL)writeData:(NSData *)data error:(NSError **)error __attribute__((swift_private)) SINCE(ios, 13.0) SINCE(macos, 10.15);
- (void)writeData:(NSData *)data;
@end
SWIFT_NAME(Pipe) SWIFT_SENDABLE
@interface NSPipe : NSObject
@property(readonly, retain) NSFileHandle *fileHandleForReading;
@end

typedef NAMED_OPTIONS(NSUInteger, NSPropertyListMutabilityOptions, NSPropertyListSerialization.MutabilityOptions) {
    NSPropertyListImmutable = 0,
    NSPropertyListMutableContainers = 1,
};
typedef NAMED_ENUM(NSUInteger, NSPropertyListFormat, NSPropertyListSerialization.PropertyListFormat) {
    NSPropertyListOpenStepFormat = 1,
    NSPropertyListXMLFormat_v1_0 SWIFT_NAME(xml) = 100,
    NSPropertyListBinaryFormat_v1_0 SWIFT_NAME(binary) = 200,
};
typedef NSPropertyListMutabilityOptions NSPropertyListReadOptions;
typedef NSUInteger NSPropertyListWriteOptions;
SWIFT_NAME(PropertyListSerialization)
@interface NSPropertyListSerialization : NSObject
+ (nullable NSData *)dataWithPropertyList:(id)list format:(NSPropertyListFormat)format options:(NSPropertyListWriteOptions)options error:(NSError **)error SWIFT_NAME(data(fromPropertyList:format:options:));
+ (nullable id)propertyListWithData:(NSData *)data options:(NSPropertyListReadOptions)options format:(nullable NSPropertyListFormat *)format error:(NSError **)error SWIFT_NAME(propertyList(from:options:format:));
@end

typedef NAMED_OPTIONS(NSUInteger, NSJSONReadingOptions, NSJSONSerialization.ReadingOptions) {
    NSJSONReadingFragmentsAllowed = 1 << 2,
};
typedef NAMED_OPTIONS(NSUInteger, NSJSONWritingOptions, NSJSONSerialization.WritingOptions) {
    NSJSONWritingSortedKeys = 1 << 1,
};
SWIFT_NAME(JSONSerialization)
@interface NSJSONSerialization : NSObject
+ (nullable NSData *)dataWithJSONObject:(id)object options:(NSJSONWritingOptions)options error:(NSError **)error;
+ (BOOL)isValidJSONObject:(id)object;
+ (nullable id)JSONObjectWithData:(NSData *)data options:(NSJSONReadingOptions)options error:(NSError **)error;
@end

@class NSXMLParser;
SWIFT_NAME(XMLParserDelegate)
@protocol NSXMLParserDelegate <NSObject>
@optional
- (void)parser:(NSXMLParser *)parser didStartElement:(NSString *)name namespaceURI:(nullable NSString *)namespaceURI qualifiedName:(nullable NSString *)qualifiedName attributes:(NSDictionary<NSString *, NSString *> *)attributes;
@end
SWIFT_NAME(XMLParser)
@interface NSXMLParser : NSObject
- (instancetype)initWithData:(NSData *)data;
@property(nullable, assign) id<NSXMLParserDelegate> delegate;
@property(nullable, readonly, copy) NSError *parserError;
- (BOOL)parse;
@end

typedef NAMED_OPTIONS(NSUInteger, NSStringCompareOptions, NSString.CompareOptions) {
    NSCaseInsensitiveSearch = 1,
    NSLiteralSearch = 2,
};
__attribute__((swift_bridge("Foundation.Locale")))
@interface NSLocale : NSObject <NSCopying, NSSecureCoding>
@end
__attribute__((swift_bridge("Foundation.TimeZone")))
@interface NSTimeZone : NSObject <NSCopying, NSSecureCoding>
@end
SWIFT_NAME(DateFormatter)
@interface NSDateFormatter : NSObject
@property(null_resettable, copy) NSString *dateFormat;
@property(null_resettable, copy) NSLocale *locale;
@property(null_resettable, copy) NSTimeZone *timeZone;
- (NSString *)stringFromDate:(NSDate *)date;
- (nullable NSDate *)dateFromString:(NSString *)text;
@end

SWIFT_NAME(Thread)
@interface NSThread : NSObject
@property(class, readonly) BOOL isMainThread SWIFT_NAME(isMainThread);
+ (void)detachNewThreadWithBlock:(void (^SWIFT_SENDABLE)(void))block SINCE(ios, 10.0) SINCE(macos, 10.12);
+ (void)sleepForTimeInterval:(NSTimeInterval)seconds;
@end

typedef ENUM(NSUInteger, NSQualityOfService) { NSQualityOfServiceUserInitiated = 0x19 };
SWIFT_NAME(OperationQueue)
@interface NSOperationQueue : NSObject
@property(class, readonly, strong) NSOperationQueue *mainQueue;
@property NSInteger maxConcurrentOperationCount;
@end
SWIFT_NAME(RunLoop)
@interface NSRunLoop : NSObject
@property(class, readonly, strong) NSRunLoop *currentRunLoop;
- (void)runUntilDate:(NSDate *)date;
@end
@class NSStream;
typedef NAMED_ENUM(NSUInteger, NSStreamStatus, NSStream.Status) {
    NSStreamStatusNotOpen = 0,
};
SWIFT_NAME(Stream)
@interface NSStream : NSObject
@property(readonly) NSStreamStatus streamStatus;
- (void)open;
- (void)close;
@property(nullable, readonly, copy) NSError *streamError;
+ (void)getBoundStreamsWithBufferSize:(NSUInteger)size inputStream:(NSInputStream *_Nullable __strong *_Nullable)input outputStream:(NSStream *_Nullable __strong *_Nullable)output SINCE(ios, 8.0) SINCE(macos, 10.10);
@end
SWIFT_NAME(InputStream)
@interface NSInputStream : NSStream
- (instancetype)initWithData:(NSData *)data;
- (nullable instancetype)initWithFileAtPath:(NSString *)path;
- (NSInteger)read:(uint8_t *)buffer maxLength:(NSUInteger)length;
@end
SWIFT_NAME(OutputStream)
@interface NSOutputStream : NSStream
- (NSInteger)write:(const uint8_t *)buffer maxLength:(NSUInteger)length;
@property(readonly) BOOL hasSpaceAvailable;
@end

__attribute__((swift_bridge("Foundation.CharacterSet")))
@interface NSCharacterSet : NSObject <NSCopying, NSMutableCopying, NSSecureCoding>
- (BOOL)characterIsMember:(unichar)character;
@end
@interface NSMutableCharacterSet : NSCharacterSet
+ (NSMutableCharacterSet *)alphanumericCharacterSet;
- (void)addCharactersInString:(NSString *)characters;
@end
@class NSNotification;
typedef NSString *NSNotificationName SWIFT_NEWTYPE SWIFT_NAME(NSNotification.Name);
__attribute__((swift_bridge("Foundation.Notification")))
@interface NSNotification : NSObject <NSCopying>
@end
SWIFT_NAME(NotificationCenter) SWIFT_SENDABLE
@interface NSNotificationCenter : NSObject
@property(class, readonly, strong) NSNotificationCenter *defaultCenter;
- (id<NSObject>)addObserverForName:(nullable NSNotificationName)name object:(nullable id)object queue:(nullable NSOperationQueue *)queue usingBlock:(SWIFT_SENDABLE void (^)(NSNotification *notification))block;
- (void)addObserver:(id)observer selector:(SEL)selector name:(nullable NSNotificationName)name object:(nullable id)object;
- (void)postNotificationName:(NSNotificationName)name object:(nullable id)object userInfo:(nullable NSDictionary *)userInfo SWIFT_NAME(post(name:object:userInfo:));
- (void)removeObserver:(id)observer;
@end

@class NSURLRequest;
typedef NAMED_ENUM(NSUInteger, NSURLRequestCachePolicy, NSURLRequest.CachePolicy) {
    NSURLRequestUseProtocolCachePolicy = 0,
    NSURLRequestReloadIgnoringLocalCacheData = 1,
};
__attribute__((swift_bridge("Foundation.URLRequest")))
@interface NSURLRequest : NSObject <NSSecureCoding, NSCopying, NSMutableCopying>
- (instancetype)initWithURL:(NSURL *)url;
@property(nullable, readonly, copy) NSURL *URL;
- (nullable NSString *)valueForHTTPHeaderField:(NSString *)field;
@end
@interface NSMutableURLRequest : NSURLRequest
@property(nullable, copy) NSURL *URL;
- (void)setValue:(nullable NSString *)value forHTTPHeaderField:(NSString *)field;
@property(nullable, copy) NSDictionary<NSString *, NSString *> *allHTTPHeaderFields;
@end
SWIFT_SENDABLE
SWIFT_NAME(URLResponse)
@interface NSURLResponse : NSObject <NSSecureCoding, NSCopying>
@property(nullable, readonly, copy) NSURL *URL;
@end
SWIFT_SENDABLE
SWIFT_NAME(HTTPURLResponse)
@interface NSHTTPURLResponse : NSURLResponse
- (nullable instancetype)initWithURL:(NSURL *)url statusCode:(NSInteger)status HTTPVersion:(nullable NSString *)version headerFields:(nullable NSDictionary<NSString *, NSString *> *)fields;
@property(readonly) NSInteger statusCode;
@property(readonly, copy) NSDictionary *allHeaderFields;
- (nullable NSString *)valueForHTTPHeaderField:(NSString *)field SINCE(ios, 13.0) SINCE(macos, 10.15);
@end

@class NSURLCache, NSURLCredentialStorage, NSHTTPCookieStorage, NSURLSession, NSURLSessionDataTask, NSURLSessionTask, NSURLSessionUploadTask;
typedef NAMED_ENUM(NSInteger, NSURLSessionResponseDisposition, NSURLSession.ResponseDisposition) {
    NSURLSessionResponseCancel = 0,
    NSURLSessionResponseAllow = 1,
};
SWIFT_NAME(URLCache)
@interface NSURLCache : NSObject
@end
SWIFT_NAME(URLCredentialStorage)
@interface NSURLCredentialStorage : NSObject
@end
SWIFT_NAME(HTTPCookieStorage)
@interface NSHTTPCookieStorage : NSObject
@property(class, readonly, strong) NSHTTPCookieStorage *sharedHTTPCookieStorage;
@end
SWIFT_NAME(URLCredential) SWIFT_SENDABLE
@interface NSURLCredential : NSObject
@end
SWIFT_NAME(URLAuthenticationChallenge) SWIFT_SENDABLE
@interface NSURLAuthenticationChallenge : NSObject
@end
SWIFT_NAME(CachedURLResponse) SWIFT_SENDABLE
@interface NSCachedURLResponse : NSObject
@end
SWIFT_NAME(URLSessionTaskMetrics) SWIFT_SENDABLE SINCE(ios, 10.0) SINCE(macos, 10.12)
@interface NSURLSessionTaskMetrics : NSObject
@end
typedef NAMED_ENUM(NSInteger, NSURLSessionAuthChallengeDisposition, NSURLSession.AuthChallengeDisposition) {
    NSURLSessionAuthChallengeUseCredential = 0,
};
SWIFT_NAME(HTTPCookie)
@interface NSHTTPCookie : NSObject
@end
typedef NAMED_ENUM(NSUInteger, NSHTTPCookieAcceptPolicy, HTTPCookie.AcceptPolicy) {
    NSHTTPCookieAcceptPolicyAlways,
    NSHTTPCookieAcceptPolicyNever,
};
SWIFT_SENDABLE
SWIFT_NAME(URLSessionConfiguration)
@interface NSURLSessionConfiguration : NSObject <NSCopying>
@property(class, readonly, strong) NSURLSessionConfiguration *defaultSessionConfiguration;
@property(class, readonly, strong) NSURLSessionConfiguration *ephemeralSessionConfiguration;
@property NSTimeInterval timeoutIntervalForRequest;
@property NSTimeInterval timeoutIntervalForResource;
@property BOOL allowsCellularAccess;
@property BOOL waitsForConnectivity SINCE(ios, 11.0) SINCE(macos, 10.13);
@property BOOL HTTPShouldSetCookies;
@property NSHTTPCookieAcceptPolicy HTTPCookieAcceptPolicy;
@property(nullable, retain) NSHTTPCookieStorage *HTTPCookieStorage;
@property(nullable, retain) NSURLCredentialStorage *URLCredentialStorage;
@property(nullable, retain) NSURLCache *URLCache;
@property NSURLRequestCachePolicy requestCachePolicy;
@property NSInteger HTTPMaximumConnectionsPerHost;
@property(nullable, copy) NSDictionary *HTTPAdditionalHeaders;
@end
SWIFT_SENDABLE
SWIFT_NAME(URLSessionDelegate)
@protocol NSURLSessionDelegate <NSObject>
@optional
- (void)URLSession:(NSURLSession *)session didBecomeInvalidWithError:(nullable NSError *)error;
@end
SWIFT_SENDABLE
SWIFT_NAME(URLSessionTaskDelegate)
@protocol NSURLSessionTaskDelegate <NSURLSessionDelegate>
@optional
- (void)URLSession:(NSURLSession *)session task:(NSURLSessionTask *)task willPerformHTTPRedirection:(NSHTTPURLResponse *)response newRequest:(NSURLRequest *)request completionHandler:(SWIFT_SENDABLE void (^)(NSURLRequest *_Nullable))handler;
- (void)URLSession:(NSURLSession *)session task:(NSURLSessionTask *)task needNewBodyStream:(SWIFT_SENDABLE void (^)(NSInputStream *_Nullable))handler;
- (void)URLSession:(NSURLSession *)session task:(NSURLSessionTask *)task didCompleteWithError:(nullable NSError *)error;
@end
SWIFT_SENDABLE
SWIFT_NAME(URLSessionDataDelegate)
@protocol NSURLSessionDataDelegate <NSURLSessionTaskDelegate>
@optional
- (void)URLSession:(NSURLSession *)session dataTask:(NSURLSessionDataTask *)task didReceiveResponse:(NSURLResponse *)response completionHandler:(SWIFT_SENDABLE void (^)(NSURLSessionResponseDisposition))handler;
- (void)URLSession:(NSURLSession *)session dataTask:(NSURLSessionDataTask *)task didReceiveData:(NSData *)data;
@end
SWIFT_SENDABLE
SWIFT_NAME(URLSession)
@interface NSURLSession : NSObject
@property(class, readonly, strong) NSURLSession *sharedSession;
+ (NSURLSession *)sessionWithConfiguration:(NSURLSessionConfiguration *)configuration delegate:(nullable id<NSURLSessionDelegate>)delegate delegateQueue:(nullable NSOperationQueue *)queue;
- (NSURLSessionDataTask *)dataTaskWithRequest:(NSURLRequest *)request;
- (NSURLSessionUploadTask *)uploadTaskWithRequest:(NSURLRequest *)request fromFile:(NSURL *)file;
- (NSURLSessionUploadTask *)uploadTaskWithRequest:(NSURLRequest *)request fromData:(NSData *)data;
- (NSURLSessionUploadTask *)uploadTaskWithStreamedRequest:(NSURLRequest *)request;
- (void)finishTasksAndInvalidate;
- (void)invalidateAndCancel;
@end
SWIFT_SENDABLE
SWIFT_NAME(URLSessionTask)
@interface NSURLSessionTask : NSObject
@property(readonly) NSUInteger taskIdentifier;
@property(nullable, readonly, copy) NSURLRequest *originalRequest;
@property(nullable, readonly, copy) NSURLRequest *currentRequest;
@property(nullable, readonly, copy) NSURLResponse *response;
@property(nullable, readonly, copy) NSError *error;
@property(readonly) int64_t countOfBytesSent;
- (void)cancel;
- (void)suspend;
- (void)resume;
@end
SWIFT_SENDABLE
SWIFT_NAME(URLSessionDataTask)
@interface NSURLSessionDataTask : NSURLSessionTask
@end
SWIFT_SENDABLE
SWIFT_NAME(URLSessionUploadTask)
@interface NSURLSessionUploadTask : NSURLSessionDataTask
@end

END_NONNULL
