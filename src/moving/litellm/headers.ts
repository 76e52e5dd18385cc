// The headers of LiteLLM's deployments.
import { asObject } from "../../core/json/json.ts";
import type { Report } from "../report.ts";
import { findReference, readReference } from "./references.ts";
import type { DeploymentSource } from "./source.ts";

const SECRET = /auth|cookie|key|password|secret|token/i;

/** Returns the headers for each call. Values that may be secrets are not copied. */
export function readHeaders(
  { params, label }: DeploymentSource,
  report: Report,
): Readonly<Record<string, string>> | undefined {
  const given = Object.entries(asObject(params.take("extra_headers")));
  if (given.length === 0) return undefined;
  const headers = given.map(([name, value]) => {
    const use = `the header ${name} of ${label}`;
    const text = readReference(value, use, report) ?? String(value);
    const isPlain = findReference(value) === undefined && SECRET.test(name);
    const variable = `HEADER_${name.toUpperCase().replace(/\W+/g, "_")}`;
    return [name, isPlain ? report.needSecret(variable, text, use) : text] as const;
  });
  return Object.fromEntries(headers);
}
