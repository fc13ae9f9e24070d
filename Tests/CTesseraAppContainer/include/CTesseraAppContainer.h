// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Applies the restrictions of an iOS app on a device to a program that links this. The program cannot call link(2) or
// create files in the root of its home directory. It has full access to Documents, Library and tmp.

#ifndef C_TESSERA_APP_CONTAINER_H
#define C_TESSERA_APP_CONTAINER_H

/// Returns the number of rejected calls.
int tessera_app_container_refusals(void);

#endif
