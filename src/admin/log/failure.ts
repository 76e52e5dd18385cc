// A failed call as the admin routes show it: the provider's own words, shortened and redacted, or how the connection failed.
import type { FailureWords } from "../../core/faults/failure.ts";
import { allowNull, text } from "../schema.ts";

export const failureFields = {
  upstream_code: allowNull(text),
  message: allowNull(text),
  cause: allowNull(text),
  address: allowNull(text),
  upstream_request_id: allowNull(text),
};

/** Returns the fields, all null for an attempt that didn't fail. */
export function failureView(failure: FailureWords | undefined) {
  return {
    upstream_code: failure?.upstreamCode ?? null,
    message: failure?.message ?? null,
    cause: failure?.cause ?? null,
    address: failure?.address ?? null,
    upstream_request_id: failure?.upstreamRequestId ?? null,
  };
}
