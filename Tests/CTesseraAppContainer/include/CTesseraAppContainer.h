// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// A program that links this is refused what an iOS app is refused on a device: link(2), and new names in the root of its
// home directory. Everything below Documents, Library and tmp is allowed.

#ifndef C_TESSERA_APP_CONTAINER_H
#define C_TESSERA_APP_CONTAINER_H

/// How often something was refused.
int tessera_app_container_refusals(void);

#endif
