// `hooks`: what is asked about the texts of requests and answers, in order.
import { createHash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { HOOK_PLACES, type HookRule, type HookTarget } from "../core/models/hook.ts";
import { parseDuration } from "../core/text/duration.ts";
import type { Issues } from "./errors.ts";
import { baseUrl, choice, duration, number, section, text } from "./field-types.ts";
import { networkFields, readNetwork } from "./network.ts";
import { secret } from "./providers/provider-schema.ts";
import { parseBaseUrl } from "./units.ts";

const HOOKS_MAX = 20;
const PATTERNS_MAX = 1000;
const TIMEOUT_MS = 2000;
const VERSION_DIGITS = 16;

export const hookName = text("a name of letters, digits, _ . and -", /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);

export const patterns = (expected: string) =>
  Type.Array(text(expected, /^[^\n]{1,300}$/), { maxItems: PATTERNS_MAX, expected: "a list of patterns" });

const hook = section(
  {
    name: hookName,
    ...Type.Partial(
      Type.Object({
        url: baseUrl,
        model: text("a model id like OpenAI#omni-moderation-latest", /^[^\s#]{1,100}#[^\s]{1,200}$/),
        at: Type.Array(choice(HOOK_PLACES), {
          minItems: 1,
          maxItems: HOOK_PLACES.length,
          expected: `a list of ${HOOK_PLACES.join(" and ")}`,
        }),
        send: choice(["texts", "messages"]),
        keys: patterns("a key's name or id, or a pattern of it"),
        accounts: patterns("an account's name or id, or a pattern of it"),
        models: patterns("a model's id, or a pattern like OpenAI#*"),
        timeout: duration("10ms", "5s"),
        on_failure: choice(["refuse", "pass"]),
        secret,
        threshold: number(0, 1),
        masks: Type.Boolean(),
        attachments: choice(["pass", "refuse"]),
      }),
    ).properties,
    ...networkFields,
  },
  "A hook.",
);
export const hooks = Type.Array(hook, {
  maxItems: HOOKS_MAX,
  expected: `a list of at most ${HOOKS_MAX} hooks, each { name, url } or { name, model }`,
});

type HookConfig = Static<typeof hook>;
type HookPath = readonly (string | number)[];

export function buildHooks(given: Static<typeof hooks> = [], issues: Issues): readonly HookRule[] {
  const seen = new Set<string>();
  return given.map((one, index) => {
    const path = ["hooks", index] as const;
    if (seen.has(one.name)) issues.atValue([...path, "name"], "another hook has this name");
    seen.add(one.name);
    const all = ["*"];
    const { keys = all, accounts = all, models = all, timeout, at = ["request"] } = one;
    const target = readTarget(one, path, issues);
    const rule = {
      name: one.name,
      target,
      at,
      keys,
      accounts,
      models,
      sendsMessages: one.send === "messages",
      timeoutMs: timeout === undefined ? TIMEOUT_MS : (parseDuration(timeout) ?? TIMEOUT_MS),
      passesOnFailure: one.on_failure === "pass",
      masks: one.masks ?? target.kind === "server",
      refusesAttachments: one.attachments === "refuse",
    };
    const version = createHash("sha256").update(JSON.stringify(rule)).digest("hex").slice(0, VERSION_DIGITS);
    return { ...rule, version };
  });
}

function readTarget(config: HookConfig, at: HookPath, issues: Issues): HookTarget {
  const { url, model, secret: own, threshold } = config;
  if (url !== undefined && model !== undefined)
    issues.atKey([...at, "model"], "asks a model, but url asks a server: set one of them");
  if (model !== undefined) {
    checkModerator(config, at, issues);
    return { kind: "moderation", model, threshold: threshold ?? null };
  }
  if (url === undefined) issues.atKey(at, "needs a url of a server, or a moderation model");
  if (threshold !== undefined) issues.atKey([...at, "threshold"], "is for a hook with a model");
  const connection = readNetwork(config, at, issues);
  return { kind: "server", url: parseBaseUrl(url ?? "") ?? "", secret: own ?? null, ...connection };
}

/** A model has the keys and the connections of its provider, and changes nothing. */
function checkModerator(config: HookConfig, at: HookPath, issues: Issues): void {
  for (const field of ["secret", "tls", "proxy", "no_proxy"] as const)
    if (config[field] !== undefined)
      issues.atKey([...at, field], "is for a hook with a url; a model has its provider's");
  if (config.send === "messages") issues.atValue([...at, "send"], "must be texts for a hook with a model");
  if (config.masks === true)
    issues.atValue([...at, "masks"], "must be false for a hook with a model, which changes nothing");
}
