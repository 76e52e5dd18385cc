// `webhooks`: the receivers of events, and the checks that keep events and signatures where they belong.
import { createHash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { AUDIT_ACTIONS } from "../core/audit/audit-log.ts";
import { AUDIT_TYPE, EVENTS, type EventType } from "../core/events/events.ts";
import { type Endpoint, WEBHOOK_FORMS, wantsEvent } from "../core/events/webhook.ts";
import { PLAIN_THINGS } from "../core/things/plain-things.ts";
import type { Issues } from "./errors.ts";
import { choice, section, text } from "./field-types.ts";
import { networkFields, readNetwork } from "./network.ts";
import { isSafeUrl } from "./providers/private-url.ts";
import { secret } from "./providers/provider-schema.ts";

const DIGEST: EventType = "account.digest";
const ENDPOINTS_MAX = 50;
const NAMES_MAX = 100;
const ID_DIGITS = 16;
const KEY_BYTES_MIN = 24;
const KEY_BYTES_MAX = 64;

const names = <Item extends ReturnType<typeof text>>(item: Item, expected: string) =>
  Type.Array(item, { minItems: 1, maxItems: NAMES_MAX, expected });

const endpoint = section(
  {
    url: text("an http or https URL without credentials or fragment", /^https?:\/\/[^\s#@\\]{1,2000}$/),
    ...Type.Partial(
      Type.Object({
        secret,
        events: names(
          text("a type of event or a pattern like budget.*", /^[a-z_.*]{1,60}$/),
          "a list of events",
        ),
        accounts: names(text("an account's name or id, or *", /^[^\n]{1,100}$/), "a list of accounts"),
        form: choice(WEBHOOK_FORMS),
        people: Type.Boolean({ expected: "true or false" }),
      }),
    ).properties,
    ...networkFields,
  },
  "A receiver of events.",
);
export const webhooks = Type.Array(endpoint, {
  maxItems: ENDPOINTS_MAX,
  expected: `a list of at most ${ENDPOINTS_MAX} receivers, each { url, secret, events }`,
});

type EndpointConfig = Static<typeof endpoint>;

const OF_THINGS = PLAIN_THINGS.flatMap(({ actions: { make, change, end } }) => [make, change, end]);
const ACTIONS = [...AUDIT_ACTIONS, ...OF_THINGS.map(({ audit }) => audit)];
const TYPES = [...Object.keys(EVENTS), ...ACTIONS.map((action) => `${AUDIT_TYPE}${action}`)];

export function buildEndpoints(given: Static<typeof webhooks> = [], issues: Issues): readonly Endpoint[] {
  const seen = new Map<string, number>();
  return given.map((one, at) => {
    const { url, form = "standard", events = ["*"], accounts = ["*"], people = false } = one;
    checkUrl(url, ["webhooks", at, "url"], issues);
    for (const [place, pattern] of events.entries()) {
      if (TYPES.some((type) => wantsEvent([pattern], type))) continue;
      issues.atValue(
        ["webhooks", at, "events", place],
        `matches no event (${Object.keys(EVENTS).join(", ")})`,
      );
    }
    if (people && !wantsEvent(events, DIGEST))
      issues.atKey(["webhooks", at, "people"], `needs ${DIGEST} among the events: only digests name people`);
    const place = `${form} ${url}`;
    const before = seen.get(place) ?? 0;
    seen.set(place, before + 1);
    const id = createHash("sha256").update(`${place} ${before}`).digest("hex").slice(0, ID_DIGITS);
    return {
      id,
      url,
      form,
      key: readKey(one, at, issues),
      events,
      accounts,
      ...(people ? { showsPeople: true } : {}),
      ...readNetwork(one, ["webhooks", at], issues),
    };
  });
}

/** Events name people and amounts: over http, anyone on the way could read them. */
function checkUrl(text: string, path: readonly (string | number)[], issues: Issues): void {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") {
    issues.atValue(path, "expected an http or https URL without credentials or fragment");
    return;
  }
  if (!isSafeUrl(url)) issues.atValue(path, "must be an https URL: http is for private addresses only");
}

function readKey({ secret: given, form = "standard" }: EndpointConfig, at: number, issues: Issues) {
  if (form !== "standard") {
    if (given !== undefined) issues.atKey(["webhooks", at, "secret"], `signs nothing in the form ${form}`);
    return null;
  }
  if (given === undefined) {
    issues.atKey(["webhooks", at], "needs a secret (whsec_…), by which the receiver knows the sender");
    return null;
  }
  const [, base64 = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(given) ?? [];
  const key = Buffer.from(base64, "base64");
  if (key.length < KEY_BYTES_MIN || key.length > KEY_BYTES_MAX) {
    const expected = `expected whsec_ and ${KEY_BYTES_MIN} to ${KEY_BYTES_MAX} bytes in base64`;
    issues.atValue(["webhooks", at, "secret"], expected);
  }
  return new Uint8Array(key);
}
