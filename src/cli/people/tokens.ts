// `poundkey tokens`: adds, lists and revokes named tokens of the admin routes, also while a gateway runs on the same store.
import { readInput } from "../../admin/input.ts";
import { anyTokenSchema, createAnyToken } from "../../admin/people/directory-tokens.ts";
import {
  createdTokenSchema,
  listTokens,
  revokeToken,
  type TokenView,
  tokenSchema,
} from "../../admin/people/named-tokens.ts";
import type { ActingWorld } from "../../admin/world.ts";
import { TOKEN_FIELDS } from "../../core/fields/token.ts";
import { TOKEN } from "../../core/things/token.ts";
import {
  type Call,
  formatJson,
  makeCommand,
  printList,
  requireOne,
  type StoreCall,
  warnOfNamesake,
} from "../administration.ts";
import { STORE_OR_GATEWAY } from "../arguments.ts";
import { describeFlags, listFlags, readFlags } from "../field-flags.ts";
import { makePageReader, makeReader } from "../gateway/ask.ts";
import { findId, TOKEN_NAMING } from "../gateway/names.ts";
import { WIDE, WIDE_HELP } from "../table.ts";

const HELP = `usage: poundkey tokens add --name NAME --role ROLE [options]
       poundkey tokens add --name NAME --kind scim [--expires TIME]
       poundkey tokens list [--wide] [--json]
       poundkey tokens revoke TOKEN [--json]

A named token gives access to the admin routes and the console in one role, in some accounts or in all of them. \`add\`
prints its secret, which is shown only once.

  TOKEN                     its id, or the name that only one has
${describeFlags(TOKEN_FIELDS)}
  --kind scim               a token of the company's directory: it has no role, and is good for /scim/v2 alone
${WIDE_HELP}
  --json                    print JSON
${STORE_OR_GATEWAY}

examples:
  poundkey tokens add --name deploy --role operator
  poundkey tokens revoke tok_77aa`;

export const runTokens = makeCommand(HELP, {
  add: { run: add, flags: { ...listFlags(TOKEN_FIELDS), kind: "value" } },
  list: { run: list, flags: WIDE, needs: "store" },
  revoke: { run: revoke, words: ["TOKEN"], needs: "store" },
});

async function add(call: Call): Promise<void> {
  const { isJson, io, ask } = call;
  const kind = call.values.get("kind");
  const fields = readInput(anyTokenSchema, { ...readFlags(TOKEN_FIELDS, call), ...(kind ? { kind } : {}) });
  const token = await ask({
    route: TOKEN.actions.make,
    body: fields,
    read: makeReader(createdTokenSchema),
    here: (world) => createAnyToken(world, fields),
  });
  await warnOfNamesake(call, TOKEN_NAMING, token);
  const summary = `${token.secret}\n\n${token.id} (${token.name}). The secret won't be shown again.`;
  io.out(isJson ? formatJson(token) : summary);
}

function list(call: StoreCall): Promise<void> {
  const giveWay = ["ENDS IN", "EXPIRES", "ACCOUNTS", "ID"];
  return printList(call, { askPage, columns: COLUMNS, giveWay, nothing: NONE, formatCells });
}

const readPage = makePageReader(makeReader(tokenSchema));
/** The list is one page. */
const askPage = () => ({
  route: TOKEN.actions.list,
  read: readPage,
  here: (world: ActingWorld) => listTokens(world),
});

async function revoke({ words, isJson, io, ask }: StoreCall): Promise<void> {
  const given = requireOne(words, "one token's id or name, as shown by `poundkey tokens list`");
  const id = await findId(ask, TOKEN_NAMING, given);
  const token = await ask({
    route: TOKEN.actions.end,
    parts: { id },
    read: makeReader(tokenSchema),
    here: (world) => revokeToken(world, id),
  });
  io.out(isJson ? formatJson(token) : `Revoked ${token.id} (${token.name}).`);
}

const NONE = "There are no named tokens. Add one with poundkey tokens add.";
const COLUMNS = ["NAME", "ID", "ROLE", "ACCOUNTS", "ENDS IN", "EXPIRES", "STATE"];

function formatCells({
  id,
  name,
  kind,
  role,
  accounts,
  last4,
  expires_at,
  state,
}: TokenView): readonly string[] {
  return [name, id, role ?? kind, accounts?.join(",") ?? "all", last4, expires_at ?? "-", state];
}
