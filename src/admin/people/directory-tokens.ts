// The tokens of the company's directory, which are good for its own routes and nothing else.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { TOKEN_FIELDS } from "../../core/fields/token.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { NamedToken } from "../../core/people/people.ts";
import { digestSecret } from "../../keys/secret.ts";
import { type Access, adminAccess, COMMAND_LINE } from "../../people/access.ts";
import { makeNewSchema, readNew } from "../fields.ts";
import { readInput } from "../input.ts";
import { allowWords } from "../schema.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";
import {
  createToken,
  makeTokenParts,
  type NewTokenView,
  newTokenSchema,
  TOKEN_KINDS,
  viewToken,
} from "./named-tokens.ts";
import { isExpired } from "./token-makers.ts";

const TOKENS_MAX = 10;
const LISTED_MAX = 1000;
const YEAR_MS = 366 * 86_400_000;
const YEARS_MAX = 3;

/** A new token of either kind. One of the directory has neither role nor accounts. */
const { role, accounts, content, ...DIRECTORY_FIELDS } = TOKEN_FIELDS;
const directoryTokenSchema = makeNewSchema(DIRECTORY_FIELDS, { kind: Type.Literal("scim") });

export const anyTokenSchema = Type.Composite(
  [
    Type.Partial(Type.Pick(newTokenSchema, ["role"])),
    Type.Omit(newTokenSchema, ["role"]),
    Type.Object({ kind: Type.Optional(allowWords(TOKEN_KINDS)) }),
  ],
  { additionalProperties: false },
);
type AnyToken = Static<typeof anyTokenSchema>;

/** Creates a token of either kind. Throws the Faults of `createToken`. */
export function createAnyToken(
  world: ActingWorld,
  { kind, ...given }: AnyToken,
  access = adminAccess(COMMAND_LINE),
): Promise<NewTokenView> {
  if (kind === "scim")
    return createDirectoryToken(world, readInput(directoryTokenSchema, { ...given, kind }), access);
  return createToken(world, readInput(newTokenSchema, given), access);
}

/** A person who had one could keep anybody active by it, themselves included. */
export function requireAdminToken({ actor }: Access): void {
  if (actor.kind === "admin" || actor.kind === "cli") return;
  const message = "Tokens of the directory are made with the admin token or on the command line only.";
  throw new Fault("not_permitted", message);
}

async function createDirectoryToken(
  world: ActingWorld,
  given: Static<typeof directoryTokenSchema>,
  access: Access,
): Promise<NewTokenView> {
  const { store, changes, clock, pepper } = world;
  const nowMs = clock.nowMs();
  requireAdminToken(access);
  const live = (await store.people.tokens(LISTED_MAX)).filter((token) => isLiveDirectory(token, nowMs));
  if (live.length >= TOKENS_MAX) {
    throw invalidValue("kind", `there are ${TOKENS_MAX} tokens of the directory already; revoke one first`);
  }
  const { id, secret } = makeTokenParts(world);
  const fields = readNew(DIRECTORY_FIELDS, given, { nowMs, aliasNames: world.aliasNames });
  const token: NamedToken = {
    ...fields,
    kind: "scim",
    readsContent: false,
    expiresAtMs: readExpiry(fields.expiresAtMs, given.expires_at === null, nowMs),
    grants: [],
    id,
    last4: secret.slice(-4),
    makerKind: access.actor.kind,
    makerId: access.actor.id,
    createdAtMs: nowMs,
    revokedAtMs: null,
  };
  await changes.addToken(token, digestSecret(secret, pepper));
  return { ...(await viewToken(store, token, nowMs)), secret };
}

function isLiveDirectory(token: NamedToken, nowMs: number): boolean {
  return token.kind === "scim" && token.revokedAtMs === null && !isExpired(token, nowMs);
}

function readExpiry(expiresAtMs: number | null, isNever: boolean, nowMs: number): number {
  if (!isNever && expiresAtMs === null) return nowMs + YEAR_MS;
  if (expiresAtMs !== null && expiresAtMs <= nowMs + YEARS_MAX * YEAR_MS) return expiresAtMs;
  throw invalidValue("expires_at", `a token of the directory lasts ${YEARS_MAX} years at most`);
}

/** Returns the directory's token with this secret, if it works. */
export async function findDirectoryToken(
  { store, clock, pepper }: Pick<AdminWorld, "store" | "clock" | "pepper">,
  secret: string,
): Promise<NamedToken | null> {
  const token = await store.people.tokenByDigest(digestSecret(secret, pepper));
  return token !== null && isLiveDirectory(token, clock.nowMs()) ? token : null;
}
