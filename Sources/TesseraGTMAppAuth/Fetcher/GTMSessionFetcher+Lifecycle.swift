// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import TesseraOAuth

/// The beginning and the end of a fetch.
///
/// The handler is part of the state until the fetch ends or is stopped. It is called once, by the function that removes
/// it.
extension GTMSessionFetcher {
    func begin(_ completion: FetchCompletion) {
        let service = self.snapshot().service
        let (date, stopCount) = (AppAuthEnvironment.now(), service?.stopCount ?? 0)
        let before = self.update { state in
            guard !state.isStopped, !state.isFetching else { return }
            state.begin(completion, at: date, serviceStopCount: stopCount)
        }
        guard !before.isStopped else { return self.callAfterStop(completion) }
        guard !before.isFetching else {
            let error = NSError.fetcher(.downloadFailed, "The fetcher is fetching.")
            return self.call(completion, FetchResult(error: error))
        }
        let isPermitted = service?.fetcherShouldBeginFetching(self) ?? true
        if self.snapshot().isStopped {
            // The fetcher was stopped before the service knew it.
            service?.fetcherDidStop(self)
        } else if isPermitted {
            self.start()
        }
    }

    /// Begins a fetch that the service has delayed or permitted.
    func start() {
        self.update { state in
            guard state.isFetching, state.task == nil else { return }
            state.task = Task {
                self.snapshot().service?.fetcherDidBeginFetching(self)
                await self.end(await self.perform())
            }
        }
    }

    func stop() {
        let before = self.update { state in
            state.isStopped = true
            state.settings.authorizer = nil
            state.end()
        }
        guard !before.isStopped else { return }
        before.task?.cancel()
        if let request = before.sentRequest ?? before.request {
            before.settings.authorizer?.stopAuthorization(for: request)
        }
        before.service?.fetcherDidStop(self)
        if let completion = before.completion { self.callAfterStop(completion) }
    }

    /// Reports the result of a fetch unless it has been stopped.
    private func end(_ result: FetchResult) async {
        let state = self.snapshot()
        let result = state.isStopped ? .cancelled : result
        for decorator in state.service?.decorators ?? [] {
            await decorator.fetcherDidFinish(self, with: result.data, error: result.error)
        }
        self.handlers.enter()
        defer { self.handlers.leave() }
        let before = self.update { state in
            guard state.isFetching else { return }
            state.downloadedData = result.data
            state.end()
        }
        guard before.isFetching, let completion = before.completion else { return }
        let (service, stopCount) = (before.service, before.serviceStopCount)
        service?.handlers.enter()
        defer { service?.handlers.leave() }
        service?.fetcherDidStop(self)
        self.call(completion, result) { self.snapshot().isStopped || service?.stopCount ?? 0 != stopCount }
    }

    private func callAfterStop(_ completion: FetchCompletion) {
        guard completion.isCalledAfterStop || self.stopFetchingTriggersCompletionHandler else { return }
        self.call(completion, .cancelled)
    }

    /// Calls a completion handler on the callback queue, and posts the notification about it.
    ///
    /// `isStopped` returns whether the fetcher has been stopped while the result was waiting for the queue.
    private func call(
        _ completion: FetchCompletion,
        _ result: FetchResult,
        unless isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        let state = self.snapshot()
        let groups = [self.handlers, state.service?.handlers].compactMap(\.self)
        for group in groups { group.enter() }
        state.callbackQueue.async {
            if isStopped() {
                self.callAfterStop(completion)
            } else {
                completion.handler?(result.data, result.error)
                self.post(.gtmSessionFetcherCompletionInvoked, result)
            }
            for group in groups { group.leave() }
        }
    }

    /// Posts a notification on the main queue.
    func post(_ name: NSNotification.Name, _ result: FetchResult? = nil) {
        DispatchQueue.main.async {
            var userInfo: [String: Any] = [:]
            userInfo[kGTMSessionFetcherCompletionDataKey] = result?.data
            userInfo[kGTMSessionFetcherCompletionErrorKey] = result?.error
            NotificationCenter.default.post(name: name, object: self, userInfo: userInfo.isEmpty ? nil : userInfo)
        }
    }
}

extension FetchResult {
    fileprivate static var cancelled: FetchResult {
        FetchResult(error: NSError.fetcher(.userCancelled, "Operation cancelled"))
    }
}

extension NSError {
    /// Creates an error in the fetcher's domain.
    static func fetcher(_ code: GTMSessionFetcherError, _ description: String, url: String? = nil) -> NSError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
        userInfo["NSErrorFailingURLStringKey"] = url
        return NSError(domain: kGTMSessionFetcherErrorDomain, code: code.rawValue, userInfo: userInfo)
    }
}
