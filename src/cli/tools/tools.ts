// `poundkey tools`: the tools of tool servers, and which of them a key may call.

import type { Static } from "@sinclair/typebox";
import { actAs } from "../../admin/audit/audit-trail.ts";
import type { ListPage } from "../../admin/list.ts";
import { listToolServers, type ToolServerView, toolServerSchema } from "../../admin/tools/tool-servers.ts";
import {
  listTools,
  type ToolParts,
  type ToolView,
  toolSchema,
  type toolsQuery,
} from "../../admin/tools/tools.ts";
import type { ActingWorld } from "../../admin/world.ts";
import { withToolServers } from "../../app/tools/ask-servers.ts";
import { showInvisible } from "../../core/text/names.ts";
import { suggest } from "../../core/text/nearest.ts";
import { makeCommandAct } from "../act.ts";
import { type Administration, formatCount, formatUsd, printList, runOnStore } from "../administration.ts";
import { parseArguments, STORE_OR_GATEWAY, UsageError } from "../arguments.ts";
import { type Ask, makePageReader, makeReader } from "../gateway/ask.ts";
import { makeAsking } from "../gateway/gateway.ts";
import { findId, KEY_NAMING } from "../gateway/names.ts";
import { describeSorts, readSort, SORT } from "../sorting.ts";
import { chooseScreen, WIDE, WIDE_HELP } from "../table.ts";

const HELP = `usage: poundkey tools [--server NAME] [--key KEY] [--sort COLUMN] [--wide] [--json]

Lists the tools of the configured tool servers, with what a call costs. It asks the servers, unless a gateway is named, which
has asked them.

  --server NAME             only this server's
  --key KEY                 say which of them this key may call, by its id or name
${describeSorts("tools", "by name")}
${WIDE_HELP}
  --json                    print JSON
${STORE_OR_GATEWAY}

examples:
  poundkey tools --key my-app
  poundkey tools --server github --gateway https://llm.example.com`;

const FLAGS = { ...SORT, ...WIDE, json: "switch", server: "value", key: "value" } as const;
const PAGE = 200;

const readServers = makePageReader(makeReader(toolServerSchema));
const readTools = makePageReader(makeReader(toolSchema));

export const runTools: Administration = (args, io, open, settings, gateway = null) =>
  runOnStore(HELP, args, io, open, async (openAs) => {
    const given = parseArguments(args, FLAGS, 0);
    const { values, switches } = given;
    const order = readSort("tools", given);
    const ask = makeAsking(gateway, async () => actAs(await openAs("find"), makeCommandAct(HELP, "")));
    const named = values.get("key");
    const key = named && (await findId(ask, KEY_NAMING, named));
    const server = values.get("server");
    await withToolServers(settings, async (directory) => {
      const makeParts = ({ store, clock }: ActingWorld): ToolParts => ({
        store,
        clock,
        limitRules: () => settings.ownerLimits,
        directory,
      });
      const { data } = await ask(askServers(makeParts));
      const shown = data.filter(({ name }) => server === undefined || name === server);
      if (server !== undefined && shown.length === 0)
        throw new UsageError(
          `there is no tool server '${server}'${suggest(
            server,
            data.map(({ name }) => name),
          )}`,
        );
      const filters = { ...(server && { server }), ...(key && { key }), ...order };
      await printList(
        { io: chooseScreen(io, { switches }), ask, isJson: switches.has("json") },
        {
          askPage: (after) => askTools(makeParts, filters, after),
          sentences: ["DESCRIPTION"],
          nothing: "There are no tools.",
          columns: ["NAME", ...(key ? ["ALLOWED"] : []), "USD A CALL", "DESCRIPTION"],
          formatCells,
        },
      );
      for (const line of shown.flatMap(describe)) io.err(showInvisible(line));
    });
  });

type ToolFilters = Pick<Static<typeof toolsQuery>, "server" | "key" | "sort" | "order">;

type MakeParts = (world: ActingWorld) => ToolParts;

function askTools(
  makeParts: MakeParts,
  filters: ToolFilters,
  after: string | undefined,
): Ask<ListPage<ToolView>> {
  return {
    route: { method: "GET", path: "/mcp/tools" },
    query: { ...filters, limit: String(PAGE), after },
    read: readTools,
    here: (world) => listTools(makeParts(world), { ...filters, limit: PAGE, ...(after && { after }) }),
  };
}

function askServers(makeParts: MakeParts): Ask<ListPage<ToolServerView>> {
  return {
    route: { method: "GET", path: "/mcp/servers" },
    read: readServers,
    here: (world) => listToolServers(makeParts(world)),
  };
}

function formatCells({ name, allowed, price_usd, description }: ToolView): readonly string[] {
  const [about = ""] = (description ?? "").split("\n");
  return [name, ...(allowed === null ? [] : [allowed ? "yes" : "no"]), formatUsd(price_usd), about];
}

/** Returns the remarks on a server that isn't up, and on tools that it shows to nobody. */
function describe({ name, state, error, left_out: leftOut }: ToolServerView): readonly string[] {
  const trouble = state === "up" ? [] : [`${name} is ${state}${error ? `: ${error}` : ""}`];
  const [first] = leftOut;
  if (first === undefined) return trouble;
  const others = formatCount(leftOut.length, "tool");
  return [...trouble, `${name}: ${others} left out, such as ${first.name}: ${first.reason}`];
}
