// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// How the headers here say which system has a declaration: SINCE(ios, 17.4), NEVER(tvos). A system that is not named has
// always had it.

#ifndef TESSERA_AVAILABILITY_H
#define TESSERA_AVAILABILITY_H

#define SINCE(system, version) __attribute__((availability(system, introduced = version)))
#define UNTIL(system, version) __attribute__((availability(system, introduced = 2.0, deprecated = version)))
#define NEVER(system) __attribute__((availability(system, unavailable)))

#define SWIFT_NAME(name) __attribute__((swift_name(#name)))
#define SWIFT_SENDABLE __attribute__((swift_attr("@Sendable")))
#define SWIFT_UI_ACTOR __attribute__((swift_attr("@MainActor")))
#define SWIFT_NEWTYPE __attribute__((swift_newtype(struct)))

#define ENUM(type, name) \
    enum __attribute__((enum_extensibility(open))) name : type name; \
    enum name : type
#define NAMED_ENUM(type, name, swift) \
    enum __attribute__((enum_extensibility(open))) SWIFT_NAME(swift) name : type name; \
    enum SWIFT_NAME(swift) name : type
#define NAMED_OPTIONS(type, name, swift) \
    enum __attribute__((flag_enum, enum_extensibility(open))) SWIFT_NAME(swift) name : type name; \
    enum SWIFT_NAME(swift) name : type
#define OPTIONS(type, name) \
    enum __attribute__((flag_enum, enum_extensibility(open))) name : type name; \
    enum name : type

#define BEGIN_NONNULL _Pragma("clang assume_nonnull begin")
#define END_NONNULL _Pragma("clang assume_nonnull end")

#endif
