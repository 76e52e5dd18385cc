// The state of a store as a file: every live account, service key, alias and named token, without a secret.
import { stringify } from "yaml";
import { viewChosen } from "../../admin/fields.ts";
import { viewTarget } from "../../admin/models/alias-target.ts";
import type { TokenView } from "../../admin/people/named-tokens.ts";
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { TOKEN_FIELDS } from "../../core/fields/token.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { NO_MODELS } from "../../core/text/pattern.ts";
import type { PlainThing } from "../../core/things/plain.ts";
import { PLAIN_THINGS } from "../../core/things/plain-things.ts";
import { type KnownState, type Row, readKnown, type StateWorld } from "./known.ts";
import { writeLessons } from "./lessons.ts";
import { writeThings } from "./plain.ts";

type WrittenSection = readonly JsonObject[];
/** In the order of the file. */
interface WrittenState {
  readonly accounts: WrittenSection;
  readonly keys: WrittenSection;
  readonly aliases: WrittenSection;
  readonly tokens: WrittenSection;
  /** Those of plain things. */
  readonly [section: string]: WrittenSection;
}

/** Fields at their default are left out. Aliases of the configuration stay there. */
export async function writeState(
  world: StateWorld,
  things: readonly PlainThing[] = PLAIN_THINGS,
): Promise<WrittenState> {
  const known = await readKnown(world, things);
  const configured = world.aliases.configured();
  return {
    accounts: listLive(known.accounts).map(({ id, of }) => ({ id, ...viewChosen(ACCOUNT_FIELDS, of) })),
    keys: listLive(known.keys).map(({ id, of }) => ({
      id,
      ...viewChosen(KEY_FIELDS, renewModels(of)),
      // Left out, it would be the configured time.
      ...(of.expiresAtMs === null && world.keysExpireInMs !== null ? { expires_at: null } : {}),
    })),
    aliases: listAliases(known).filter(({ name }) => !Object.hasOwn(configured, name)),
    tokens: listLive(known.tokens)
      .map(({ of }) => writeToken(of))
      .toReversed(),
    ...writeThings(known.things),
    lessons: writeLessons(known.lessons),
  };
}

/** The imports of version 1.1 limited keys without any model to names that a state file doesn't take. */
const FORMER_NO_MODELS: ReadonlySet<string> = new Set(["no-models", "no-default-models"]);

function renewModels(key: GatewayKey): GatewayKey {
  const allowedModels =
    key.allowedModels?.map((one) => (FORMER_NO_MODELS.has(one) ? NO_MODELS : one)) ?? null;
  return { ...key, allowedModels };
}

function listLive<Of>(rows: readonly Row<Of>[]): readonly Row<Of>[] {
  return rows.filter(({ state }) => state === "live");
}

function listAliases({ aliases }: KnownState) {
  return [...aliases].map(([name, target]) => ({ name, target: viewTarget(target) }));
}

function writeToken(token: TokenView): JsonObject {
  const shown = new Map<string, unknown>(Object.entries(token));
  const fields = Object.entries(TOKEN_FIELDS).flatMap(([name, field]) => {
    const value = shown.get(name);
    return "initial" in field && value === field.initial ? [] : [[name, value] as const];
  });
  return { id: token.id, ...Object.fromEntries(fields) };
}

/** Returns the state as YAML, in which no line is folded. Empty sections are left out. */
export function writeStateText(state: Readonly<Record<string, WrittenSection>>): string {
  const filled = Object.entries(state).filter(([, section]) => section.length > 0);
  return stringify(Object.fromEntries(filled), { lineWidth: 0 }).trimEnd();
}
