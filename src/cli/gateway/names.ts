// Finds the id of what a command was given by its name, at a gateway and in a store alike.
import { Type } from "@sinclair/typebox";
import { listKeyPage } from "../../admin/keys/keys.ts";
import type { ListPage } from "../../admin/list.ts";
import { listMembers } from "../../admin/people/members.ts";
import { listTokens } from "../../admin/people/named-tokens.ts";
import { listPlain } from "../../admin/things/plain.ts";
import { findKeyState } from "../../core/keys/key.ts";
import { EVERYTHING } from "../../core/people/people.ts";
import { ACCOUNT } from "../../core/things/account.ts";
import { KEY } from "../../core/things/key.ts";
import type { PlainThing } from "../../core/things/plain.ts";
import { TOKEN } from "../../core/things/token.ts";
import { UsageError } from "../arguments.ts";
import { type Ask, makePageReader, makeReader } from "./ask.ts";
import type { Asking } from "./gateway.ts";

interface NamedRow {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

/** A kind of thing that has ids and names. */
export interface Naming {
  readonly word: string;
  /** A text of this shape is an id, and isn't looked up. */
  readonly idShape: RegExp;
  /** Asks for a page of those that may have the name. */
  readonly askPage: (name: string, after: string | undefined) => Ask<ListPage<NamedRow>>;
}

const text = Type.String();
const readPage = makePageReader(makeReader(Type.Object({ id: text, name: text, state: text })));
const PAGE = "200";
const IDS_SHOWN_MAX = 5;

export const KEY_NAMING: Naming = {
  word: "key",
  idShape: /^key_/,
  askPage: (name, after) => ({
    route: KEY.actions.list,
    query: { q: name, limit: PAGE, after },
    read: readPage,
    here: async (world) => {
      const { data, next } = await listKeyPage(world, { q: name, limit: 200, ...(after ? { after } : {}) });
      const nowMs = world.clock.nowMs();
      return {
        data: data.map((key) => ({ id: key.id, name: key.name, state: findKeyState(key, nowMs) })),
        next,
      };
    },
  }),
};

export const ACCOUNT_NAMING: Naming = {
  word: "account",
  idShape: /^(acct_.*|default|funding|revenue|overrun|receivable)$/,
  askPage: (name, after) => ({
    route: ACCOUNT.actions.list,
    query: { limit: PAGE, after },
    read: readPage,
    here: async ({ store }) => {
      const named = await store.accountsNamed(name);
      const data = named.map(({ id, closedAtMs }) => ({
        id,
        name,
        state: closedAtMs === null ? "open" : "closed",
      }));
      return { data, next: null };
    },
  }),
};

export const TOKEN_NAMING: Naming = {
  word: "token",
  idShape: /^tok_/,
  askPage: () => ({ route: TOKEN.actions.list, read: readPage, here: (world) => listTokens(world) }),
};

const memberReader = makeReader(
  Type.Object({ id: text, name: text, email: Type.Union([text, Type.Null()]), state: text }),
);

/** A person is named by the e-mail address, or by the name. */
export const MEMBER_NAMING: Naming = {
  word: "person",
  idShape: /^usr_/,
  askPage: (name, after) => {
    const row = (member: { id: string; name: string; email: string | null; state: string }) => ({
      id: member.id,
      name: member.email === name ? name : member.name,
      state: member.state,
    });
    return {
      route: { method: "GET", path: "/members" },
      query: { limit: PAGE, after },
      read: makePageReader((given) => row(memberReader(given))),
      here: async (world) => {
        const query = { limit: 200, ...(after ? { after } : {}) };
        const { data, next } = await listMembers({ ...world, keysExpireMs: () => null }, query, EVERYTHING);
        return { data: data.map(row), next };
      },
    };
  },
};

/** Returns the naming of a plain thing, which its first field names. */
export function namePlain(thing: PlainThing): Naming {
  const [title = "id"] = Object.keys(thing.fields);
  const reader = makeReader(Type.Object({ id: text, [title]: text, state: text }));
  const row = (view: Readonly<Record<string, unknown>>) => ({
    id: String(view.id),
    name: String(view[title]),
    state: String(view.state),
  });
  return {
    word: thing.name,
    idShape: new RegExp(`^${thing.idPrefix}_`),
    askPage: (_, after) => ({
      route: thing.actions.list,
      query: { limit: PAGE, after },
      read: makePageReader((given) => row({ ...reader(given) })),
      here: async (world) => {
        const { data, next } = await listPlain(world, thing, { limit: 200, ...(after ? { after } : {}) });
        return { data: data.map(row), next };
      },
    }),
  };
}

const ENDED = ["revoked", "ended", "closed"];

/** Returns those that have exactly this name and haven't ended. */
export async function listLive(ask: Asking, naming: Naming, name: string): Promise<readonly NamedRow[]> {
  return (await listNamed(ask, naming, name)).filter(isLive);
}

const isLive = ({ state }: NamedRow) => !ENDED.includes(state);

/** Returns all that have exactly this name. */
async function listNamed(ask: Asking, { askPage }: Naming, name: string): Promise<readonly NamedRow[]> {
  const rows: NamedRow[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await ask(askPage(name, after));
    rows.push(...page.data.filter((row) => row.name === name));
    if (page.next === null) return rows;
    after = page.next;
  }
}

/**
 * Returns the id of the only one that has this name and hasn't ended, or else the text as it is, which then is an id. Throws a
 * UsageError if several have the name.
 */
export async function findId(ask: Asking, naming: Naming, given: string): Promise<string> {
  if (naming.idShape.test(given)) return given;
  const named = await listNamed(ask, naming, given);
  const live = named.filter(isLive);
  const [one, another] = live.length > 0 ? live : named;
  if (another === undefined) return one?.id ?? given;
  const ids = live.slice(0, IDS_SHOWN_MAX).map(({ id }) => id);
  throw new UsageError(
    `several have the name '${given}'; give the id of one ${naming.word}: ${ids.join(", ")}`,
  );
}
