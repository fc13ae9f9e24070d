// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension SignIn {
    /// Waits for every refresh that is under way in a session of this sign-in: before a server exits, so that nothing is
    /// lost.
    ///
    /// End what may ask for tokens first.
    public func settle() async {
        await withTaskGroup(of: Void.self) { group in
            for session in self.livingSessions { group.addTask { await session.settle() } }
        }
    }
}
