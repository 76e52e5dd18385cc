// The guard as the admin routes show it: its rules, and what they find in a text that is only tried.
import { type Static, Type } from "@sinclair/typebox";
import { invalidValue, missingParameter } from "../../core/json/schema-fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { CONSTRAINT_RULES } from "../../core/log/constraint.ts";
import { GUARD_ACTIONS, GUARD_PLACES, type GuardPlace, type GuardRule } from "../../core/models/guard.ts";
import type { Settings } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import type { Access } from "../../people/access.ts";
import { requireKey } from "../keys/keys.ts";
import { allowNull, allowWords, closeObject, count, text, type View } from "../schema.ts";

const NAME_CHARACTERS_MAX = 200;
/** A longer body isn't tried. */
export const GUARD_TRY_BYTES_MAX = 1024 * 1024;
const TEXTS = Type.Array(text);

const guardRuleSchema = Type.Object({
  name: text,
  detect: Type.Array(text, {
    description: "Names of detectors, of which groups are taken apart, and lists of words.",
  }),
  action: allowWords(GUARD_ACTIONS),
  at: Type.Array(allowWords(GUARD_PLACES)),
  keys: TEXTS,
  accounts: TEXTS,
  models: TEXTS,
  providers: TEXTS,
  attachments: allowWords(["pass", "refuse"]),
});
export type GuardRuleView = View<typeof guardRuleSchema>;

export const guardSchema = Type.Object({
  version: allowNull(
    Type.String({ description: "A digest of rules, words and allowed values. Null without rules." }),
  ),
  rules: Type.Array(guardRuleSchema),
  words: Type.Array(Type.Object({ name: text, count }), {
    description: "The lists of words, never the words.",
  }),
  allow: TEXTS,
  constraints: allowWords(CONSTRAINT_RULES),
  other_nodes: Type.Optional(
    Type.Array(Type.Object({ id: text, version: allowNull(text) }), {
      description: "The live nodes whose rules are others. Missing if all nodes have these.",
    }),
  ),
});
export type GuardView = View<typeof guardSchema>;

export const guardTrySchema = closeObject({
  text: Type.Optional(Type.String({ description: "A text by itself. Either it or `path` and `body`." })),
  path: Type.Optional(
    Type.String({
      maxLength: NAME_CHARACTERS_MAX,
      description: "The path that takes the body, such as `/v1/messages`.",
    }),
  ),
  body: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "A request to `path`, or with `at: answer` an answer of it.",
      expected: "an object",
    }),
  ),
  at: Type.Optional(allowWords(GUARD_PLACES, "Default: `request`.")),
  key_id: Type.Optional(
    Type.String({
      maxLength: NAME_CHARACTERS_MAX,
      description: "A key, by whose rules is searched. Without one all rules apply.",
    }),
  ),
});

const triedFindingSchema = Type.Object({
  path: allowNull(Type.String({ description: "The text's place in the body. Null for `text`." })),
  from: count,
  to: Type.Integer({ description: "Behind the last UTF-16 unit." }),
  detector: text,
  action: allowWords(GUARD_ACTIONS),
  rule: text,
});
export type TriedFinding = View<typeof triedFindingSchema>;

export const guardTriedSchema = Type.Object({
  findings: Type.Array(triedFindingSchema),
  text: Type.Optional(Type.String({ description: "The text as it would leave." })),
  body: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "The body as it would leave." }),
  ),
});
export type GuardTriedView = View<typeof guardTriedSchema>;

/** A text by itself, or a body of a surface. */
type TriedContent =
  | { readonly text: string }
  | { readonly path: string; readonly body: Readonly<Record<string, unknown>> };

export interface GuardTrial {
  readonly content: TriedContent;
  readonly at: GuardPlace;
  /** The key by whose rules is searched. Null if all rules apply. */
  readonly key: GatewayKey | null;
}

type ShownSettings = Pick<Settings, "guard" | "limits">;

/** The findings of a trial, and the text or the body as it would leave. */
export interface TriedGuard {
  readonly findings: readonly TriedFinding[];
  readonly text?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface GuardParts {
  readonly store: Pick<Store, "key">;
  readonly settings: () => ShownSettings;
  readonly versions: {
    /** That of the rules here. Null if there are none. */
    readonly own: string | null;
    /** Returns the other nodes that have other rules. */
    listOthers(): Promise<NonNullable<GuardView["other_nodes"]>>;
  };
  /** Throws the Faults of a path that no surface has, and of a body that its surface doesn't take. */
  readonly search: (trial: GuardTrial) => Promise<TriedGuard>;
}

export async function viewGuard({ settings, versions }: GuardParts): Promise<GuardView> {
  const { guard, limits } = settings();
  const others = await versions.listOthers();
  return {
    version: versions.own,
    rules: (guard?.rules ?? []).map(viewRule),
    words: [...(guard?.words ?? [])].map(([name, words]) => ({ name, count: words.length })),
    allow: guard?.allow ?? [],
    constraints: limits.constraints ?? "refuse",
    ...(others.length > 0 && { other_nodes: others }),
  };
}

function viewRule({ refusesAttachments, ...rule }: GuardRule): GuardRuleView {
  return { ...rule, attachments: refusesAttachments ? "refuse" : "pass" };
}

/** Nobody is called and nothing is kept. Throws the Faults of bad input, and `not_found` for a key that isn't seen. */
export async function tryGuard(
  { store, search }: GuardParts,
  { key_id: keyId, at = "request", ...given }: Static<typeof guardTrySchema>,
  access: Access,
): Promise<GuardTriedView> {
  const content = readContent(given);
  const key =
    keyId === undefined ? null : requireKey(keyId, await store.key(keyId, access.scope("keys.read")));
  return search({ content, at, key });
}

function readContent({ text: one, path, body }: Static<typeof guardTrySchema>): TriedContent {
  if (one !== undefined) {
    if (path !== undefined || body !== undefined)
      throw invalidValue(path === undefined ? "body" : "path", "'text' takes its place; send one of them");
    return { text: one };
  }
  if (path === undefined) throw missingParameter(body === undefined ? "text" : "path");
  if (body === undefined) throw missingParameter("body");
  return { path, body };
}
