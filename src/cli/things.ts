// The command on a plain thing, made from its row: list, show, add, change and end.
import { type TUnsafe, Type } from "@sinclair/typebox";
import { readInput, readQuery } from "../admin/input.ts";
import {
  changePlain,
  createPlain,
  endPlain,
  getPlain,
  listPlain,
  makePlainSchemas,
  type PlainView,
  plainQuery,
} from "../admin/things/plain.ts";
import type { PlainThing } from "../core/things/plain.ts";
import {
  type Administration,
  formatJson,
  makeCommand,
  printList,
  requireOne,
  type StoreCall,
} from "./administration.ts";
import { STORE_OR_GATEWAY } from "./arguments.ts";
import { describeFlags, listFlags, readFlags } from "./field-flags.ts";
import { makePageReader, makeReader } from "./gateway/ask.ts";
import { ACCOUNT_NAMING, findId, namePlain } from "./gateway/names.ts";
import { WIDE, WIDE_HELP } from "./table.ts";

/** Returns the command named after the thing's plural. */
export function makePlainCommand(thing: PlainThing): Administration {
  const { fields } = thing;
  const flags = listFlags(fields);
  const words = ["ID"];
  return makeCommand(describePlain(thing), {
    list: {
      run: (call) => list(thing, call),
      flags: { account: "value", state: "value", ...WIDE },
      needs: "store",
    },
    show: { run: (call) => show(thing, call), words, needs: "store" },
    add: { run: (call) => add(thing, call), flags: { account: "value", ...flags }, needs: "store" },
    change: { run: (call) => change(thing, call), flags, words, needs: "store" },
    end: { run: (call) => end(thing, call), words, needs: "store" },
  });
}

function describePlain({ name, plural, about, fields }: PlainThing): string {
  return `usage: poundkey ${plural} list [--account ACCOUNT] [--state STATE] [--wide] [--json]
       poundkey ${plural} show ID [--json]
       poundkey ${plural} add [--account ACCOUNT] [options]
       poundkey ${plural} change ID [options]
       poundkey ${plural} end ID [--json]

${about}

  --account ACCOUNT         the account that the ${name} is for, by its id or name
                            (default: default)
  --state STATE             active or ended
${describeFlags(fields)}
${WIDE_HELP}
  --json                    print JSON
${STORE_OR_GATEWAY}`;
}

async function list(thing: PlainThing, call: StoreCall): Promise<void> {
  const { values } = call;
  const asked = values.get("account");
  const account = asked && (await findId(call.ask, ACCOUNT_NAMING, asked));
  const given = { account, state: values.get("state") };
  const query = readQuery(plainQuery, given);
  const [title = "id"] = Object.keys(thing.fields);
  return printList(call, {
    askPage: (after) => ({
      route: thing.actions.list,
      query: { ...given, after },
      read: makePageReader(readView(thing)),
      here: (world) => listPlain(world, thing, after ? { ...query, after } : query),
    }),
    giveWay: ["CREATED", "ACCOUNT", "ID"],
    nothing: `There are no ${thing.plural}.`,
    columns: [title.toUpperCase(), "ID", "ACCOUNT", "CREATED", "STATE"],
    named: ["account_id"],
    formatCells: (view, showName) => [
      String(view[title]),
      view.id,
      showName(view.account_id),
      view.created_at,
      view.state,
    ],
  });
}

async function show(thing: PlainThing, call: StoreCall): Promise<void> {
  const id = await findPlain(thing, call);
  const view = await call.ask({
    route: thing.actions.read,
    parts: { id },
    read: readView(thing),
    here: (world) => getPlain(world, thing, id),
  });
  call.io.out(formatJson(view));
}

async function add(thing: PlainThing, call: StoreCall): Promise<void> {
  const account = await findId(call.ask, ACCOUNT_NAMING, call.values.get("account") ?? "default");
  const input = readInput(makePlainSchemas(thing).made, {
    ...readFlags(thing.fields, call),
    account_id: account,
  });
  const view = await call.ask({
    route: thing.actions.make,
    body: input,
    read: readView(thing),
    here: (world) => createPlain(world, thing, input),
  });
  tell(thing, call, "Created", view);
}

async function change(thing: PlainThing, call: StoreCall): Promise<void> {
  const id = await findPlain(thing, call);
  const input = readInput(makePlainSchemas(thing).change, readFlags(thing.fields, call));
  const view = await call.ask({
    route: thing.actions.change,
    parts: { id },
    body: input,
    read: readView(thing),
    here: (world) => changePlain(world, thing, id, input),
  });
  tell(thing, call, "Changed", view);
}

async function end(thing: PlainThing, call: StoreCall): Promise<void> {
  const id = await findPlain(thing, call);
  const view = await call.ask({
    route: thing.actions.end,
    parts: { id },
    read: readView(thing),
    here: (world) => endPlain(world, thing, id),
  });
  tell(thing, call, "Ended", view);
}

function readView(thing: PlainThing): (answer: unknown) => PlainView {
  return makeReader<TUnsafe<PlainView>>(Type.Unsafe<PlainView>(makePlainSchemas(thing).view));
}

function tell({ fields }: PlainThing, { isJson, io }: StoreCall, done: string, view: PlainView): void {
  const [title = "id"] = Object.keys(fields);
  io.out(isJson ? formatJson(view) : `${done} ${view.id} (${view[title]}).`);
}

function findPlain(thing: PlainThing, { words, ask }: StoreCall): Promise<string> {
  const { name, plural } = thing;
  const given = requireOne(words, `one ${name}'s id or name, as shown by \`poundkey ${plural} list\``);
  return findId(ask, namePlain(thing), given);
}
