// The fields of a key that an operator can set, and the grace of a secret that is replaced.
import { type Static, Type } from "@sinclair/typebox";
import { isAddressBlock } from "../core/address.ts";
import { DURATION, parseDuration } from "../core/duration.ts";
import { invalidValue } from "../core/schema-fault.ts";
import { momentSchema, nameSchema, readInstant, readLine, readUsd, usdSchema } from "./input.ts";
import { allowNull, allowWords, boolean, closeObject, text } from "./schema.ts";

const MODELS_MAX = 1000;
const ADDRESSES_MAX = 100;
const NOTES_CHARACTERS_MAX = 2000;
const REQUESTS_PER_DAY_MAX = 1_000_000_000;
const GRACE_MAX = "30d";

const model = Type.String({
  pattern: "^(\\*|[A-Za-z0-9*][A-Za-z0-9*._-]{0,63}#[^\\s#]{1,200})$",
  expected: "a model id like OpenAI#gpt-5.4 or Router#fair, or a pattern like OpenAI#*",
});
const models = Type.Array(model, {
  minItems: 1,
  maxItems: MODELS_MAX,
});
const addressBlock = Type.String({
  pattern: "^[0-9A-Fa-f:.]{2,45}(/\\d{1,3})?$",
  expected: "an IP address or a block like 10.0.0.0/8",
});
const requestsPerDay = Type.Union(
  [Type.Integer({ minimum: 0, maximum: REQUESTS_PER_DAY_MAX }), allowWords(["default"]), Type.Null()],
  { expected: 'an integer, null for no limit, or "default" for the configured number' },
);
const fields = {
  expires_at: Type.Optional(allowNull(momentSchema)),
  allowed_models: Type.Optional(allowNull(models)),
  allowed_addresses: Type.Optional(
    allowNull(Type.Array(addressBlock, { minItems: 1, maxItems: ADDRESSES_MAX })),
  ),
  spend_limit_usd: Type.Optional(allowNull(usdSchema)),
  requests_per_day: Type.Optional(requestsPerDay),
  keep_responses: Type.Optional(boolean),
  paused: Type.Optional(boolean),
  notes: Type.Optional(allowNull(Type.String({ maxLength: NOTES_CHARACTERS_MAX }))),
};
type Fields = Pick<Static<typeof newKeySchema>, keyof typeof fields>;

export const newKeySchema = closeObject({ account_id: Type.Optional(text), name: nameSchema, ...fields });
export const keyChangeSchema = closeObject({ name: Type.Optional(nameSchema), ...fields });

/** Returns the given fields. Null removes a limit. */
export function readKeyFields(given: Fields, nowMs: number) {
  return {
    expiresAtMs: readGiven(given.expires_at, (text) => readExpiry(text, nowMs)),
    allowedModels: readGiven(given.allowed_models, (ids) => [...new Set(ids)]),
    allowedAddresses: readGiven(given.allowed_addresses, readAddresses),
    spendLimitNanoUsd: readGiven(given.spend_limit_usd, (amount) => readUsd(amount, "spend_limit_usd")),
    requestsPerDay: given.requests_per_day,
    keepsResponses: given.keep_responses,
    isPaused: given.paused,
    notes: readGiven(given.notes, readNotes),
  };
}

function readGiven<Given, Value>(
  given: Given | null | undefined,
  read: (given: Given) => Value,
): Value | null | undefined {
  if (given === undefined) return undefined;
  return given === null ? null : read(given);
}

/** Reads a time in the future. To end a key at once, it has to be revoked. */
function readExpiry(text: string, nowMs: number): number {
  const atMs = readInstant(text, "expires_at");
  if (atMs > nowMs) return atMs;
  throw invalidValue("expires_at", "it is in the past");
}

function readAddresses(blocks: readonly string[]): readonly string[] {
  const wrong = blocks.findIndex((block) => !isAddressBlock(block));
  if (wrong === -1) return [...new Set(blocks)];
  throw invalidValue(`allowed_addresses[${wrong}]`, `expected ${addressBlock.expected}`);
}

/** Notes may have several lines. */
function readNotes(text: string): string | null {
  readLine(text.replace(/[\t\r\n]/g, " "), "notes");
  return text.trim() || null;
}

const expected = `a duration like 24h (ms, s, m, h or d), up to ${GRACE_MAX}`;
const grace = Type.Union(
  [
    Type.String({ pattern: DURATION.source, expected }),
    Type.Integer({ minimum: 0, maximum: 0, expected }),
    Type.Null(),
  ],
  { description: "How long the old secret still works: a duration like 24h. By default it stops at once." },
);
export const rotationSchema = closeObject({ grace: Type.Optional(grace) });

/** Returns the grace in milliseconds. */
export function readGrace({ grace }: Static<typeof rotationSchema>): number {
  const graceMs = typeof grace === "string" ? parseDuration(grace) : 0;
  if (graceMs !== null && graceMs <= (parseDuration(GRACE_MAX) ?? 0)) return graceMs;
  throw invalidValue("grace", `expected ${expected}`);
}
