// Values of LiteLLM's files that may name a variable of the environment: `os.environ/NAME`.
import { asString } from "../../core/json/json.ts";
import type { Report } from "../report.ts";

const REFERENCE = /^os\.environ\/(\w+)$/;

/** Reserves the variables that the file names, so that no secret of another kind gets one of them. */
export function reserveReferences(value: unknown, report: Report): void {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) reserveReferences(part, report);
  }
  const name = findReference(value);
  if (name !== undefined) report.reserve(name);
}

/** Returns the name of the variable. Undefined for a value that stands in the file itself. */
export function findReference(value: unknown): string | undefined {
  return REFERENCE.exec(asString(value) ?? "")?.[1];
}

/** Returns the value, with a variable of the environment in the configuration's notation. */
export function readReference(value: unknown, use: string, report: Report): string | undefined {
  const name = findReference(value);
  return name === undefined ? asString(value) : report.need(name, use);
}

interface SecretUse {
  /** Its name, if the file has the secret itself. */
  readonly variable: string;
  readonly use: string;
}

/** Returns a reference. A secret in the file gets a variable of its own, the same wherever it stands. */
export function readSecret(value: unknown, { variable, use }: SecretUse, report: Report): string {
  const name = findReference(value);
  return name === undefined
    ? report.needSecret(variable, asString(value) ?? "", use)
    : report.need(name, use);
}
