// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJOSE

extension ProviderService {
    /// Answers each call of a batch as if it had come alone.
    func respond(toBatch request: EndpointRequest) async -> EndpointResponse {
        guard request.method == .post else { return .methodNotAllowed("POST") }
        let message: BatchMessage
        do throws(APIFailure) {
            message = try BatchMessage(request)
        } catch {
            return error.response
        }
        var answer = BatchAnswer()
        for call in message.calls {
            switch call.request {
            case .success(let part): answer.add(await self.answer(part), for: call.contentID)
            case .failure(let failure): answer.add(failure.response, for: call.contentID)
            }
        }
        return answer.response(boundary: "batch_" + Base64URL.encode(self.options.randomBytes(24)))
    }
}
#endif
