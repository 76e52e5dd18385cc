// A failed call in words: the provider's status, code and message, or how the connection failed.
import type { AttemptView } from "../../admin/log/request-schema.ts";

type FailureFacts = Pick<
  AttemptView,
  "upstream_status" | "upstream_code" | "message" | "cause" | "address" | "upstream_request_id"
>;

/** Returns the failure's facts, the most telling first. Empty for rows of earlier versions. */
export function describeFailure(failure: FailureFacts): string {
  const { upstream_status: status, upstream_code: code, message, cause, address } = failure;
  return [
    status === null ? null : `status ${status}`,
    code,
    cause,
    message === null ? null : `“${message}”`,
    address === null ? null : `at ${address}`,
    failure.upstream_request_id === null ? null : `its id ${failure.upstream_request_id}`,
  ]
    .filter((one) => one !== null)
    .join(" · ");
}
