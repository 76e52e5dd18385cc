// The fields of an upload's form beside the file itself. They may stand before the file or behind it.

import type { FileForm } from "../../core/batches/file.ts";
import { invalidValue, missingParameter } from "../../core/json/schema-fault.ts";

/** The purposes of clients' uploads. Results of batches have one of their own. */
const PURPOSES = ["batch", "user_data", "vision", "assistants"] as const;
/** Anthropic's form has no purposes. */
const ANTHROPIC_PURPOSE = "user_data";
const MS = 1000;
/** Both vendors' least, and OpenAI's most. */
const EXPIRES_SECONDS = { least: 3600, most: 2_592_000 } as const;

const EXPIRES_FIELD: Readonly<Record<FileForm, string>> = {
  openai: "expires_after[seconds]",
  anthropic: "expires_in_seconds",
};
const ANCHOR_FIELD = "expires_after[anchor]";

/** Collects the fields as they come, and refuses a wrong one at once. Those that no form has are left out. */
export class UploadFields {
  readonly #form: FileForm;
  #purpose: string | null;
  #expiresAfterMs: number | null = null;
  #hasAnchor = false;

  constructor(form: FileForm) {
    this.#form = form;
    this.#purpose = form === "anthropic" ? ANTHROPIC_PURPOSE : null;
  }

  add(name: string, value: string): void {
    if (name === EXPIRES_FIELD[this.#form]) this.#expiresAfterMs = readSeconds(name, value) * MS;
    if (this.#form !== "openai") return;
    if (name === "purpose") this.#purpose = readPurpose(value);
    if (name !== ANCHOR_FIELD) return;
    if (value !== "created_at") throw invalidValue(ANCHOR_FIELD, "expected created_at");
    this.#hasAnchor = true;
  }

  /** Returns the purpose, and the time after which the file ends: at most `keepMs`. Call it when the form has ended. */
  finish(keepMs: number): { readonly purpose: string; readonly expiresAfterMs: number } {
    if (this.#purpose === null) throw missingParameter("purpose");
    if (this.#hasAnchor && this.#expiresAfterMs === null) throw missingParameter(EXPIRES_FIELD.openai);
    return { purpose: this.#purpose, expiresAfterMs: Math.min(this.#expiresAfterMs ?? keepMs, keepMs) };
  }
}

/** Throws the Fault `invalid_value` for a purpose that no client's file has. */
function readPurpose(value: string): string {
  const purpose = PURPOSES.find((one) => one === value);
  if (purpose !== undefined) return purpose;
  throw invalidValue("purpose", `expected one of ${PURPOSES.join(", ")}`);
}

function readSeconds(name: string, value: string): number {
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  const { least, most } = EXPIRES_SECONDS;
  if (seconds >= least && seconds <= most) return seconds;
  throw invalidValue(name, `expected a number of seconds from ${least} to ${most}`);
}
