// `poundkey export`: whole lists as CSV or JSON lines, with the filters of the lists, and the state as a file.
import { recordAct } from "../../admin/audit/audit-trail.ts";
import { formatInstant } from "../../admin/format.ts";
import { readQuery } from "../../admin/input.ts";
import { makeExportForm } from "../../admin/log/export-rows.ts";
import { EXPORTS, type Export, readExport } from "../../admin/log/exports.ts";
import { exportedStateSchema } from "../../admin/state/state-schema.ts";
import { listProviderNames } from "../../app/models/provider-names.ts";
import type { Io } from "../../app/terminal.ts";
import { EVERYTHING } from "../../core/people/people.ts";
import { writeState, writeStateText } from "../../moving/state/write.ts";
import { type Call, formatJson, makeCommand } from "../administration.ts";
import { readForm, STORE_OR_GATEWAY } from "../arguments.ts";
import { makeReader } from "../gateway/ask.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { makeStateWorld } from "../state/state-world.ts";
import { readGroupWords } from "./group-words.ts";
import { describeRows } from "./log-command.ts";
import { readMoments } from "./moments.ts";

const toFlag = (field: string) => field.replaceAll("_", "-");

function listFlags({ query }: Export): readonly string[] {
  return Object.keys(query.properties).map(toFlag);
}

const NAMED = Object.entries(EXPORTS);

const USAGES = [
  ...NAMED.map(([name]) => `poundkey export ${name} [filters] [--csv | --json]`),
  "poundkey export state [--json]",
];

const HELP = `usage: ${USAGES.join("\n       ")}

Writes all rows of a list to standard output, newest first, as CSV (RFC 4180), or with --json as JSON lines. In CSV, texts
that a spreadsheet would read as formulas begin with an apostrophe. How far it is stands on standard error. The filters,
which are those of the admin API:

${NAMED.map(
  ([name, list]) =>
    `  ${name.padEnd(16)}${listFlags(list)
      .map((flag) => `--${flag}`)
      .join(" ")}`,
).join("\n")}

\`state\` writes every live account, service key, alias and named token as YAML, without secrets, as \`poundkey apply\`
takes it.

  --csv                     write CSV, as without a form
  --json                    write JSON lines, and the state as JSON
${STORE_OR_GATEWAY}

examples:
  poundkey export requests --from 2026-11-01 --outcome failed
  poundkey export usage --group-by month,account --json
  poundkey export reconciliation --from 2026-10-01 --to 2026-10-31
  poundkey export state > state.yaml`;

const LISTS = Object.fromEntries(
  NAMED.map(([name, list]) => {
    const filters = Object.fromEntries(listFlags(list).map((flag) => [flag, "value"] as const));
    const flags = { ...filters, csv: "switch" } as const;
    return [name, { run: (call: Call) => write(name, list, call), flags }];
  }),
);

export const runExport = makeCommand(HELP, { ...LISTS, state: { run: printState } });

async function printState({ isJson, io, settings, ask }: Call): Promise<void> {
  const state = await ask({
    route: { method: "GET", path: "/state" },
    read: makeReader(exportedStateSchema),
    here: async (acting) => {
      const world = makeStateWorld(acting, settings);
      const written = await writeState(world);
      await noteExport(world, "state", {});
      return written;
    },
  });
  io.out(isJson ? formatJson(state) : writeStateText(state));
}

const REPORT_MS = 10_000;

async function write(name: string, list: Export, call: Call): Promise<void> {
  const { values, io, settings, open } = call;
  const { query, row, left, since } = list;
  const flags = readGroupWords(
    Object.fromEntries([...values].map(([flag, value]) => [flag.replaceAll("-", "_"), value])),
  );
  const given = await readMoments(call.ask, settings.quota, flags);
  readQuery(query, given);
  const form = readForm(call) === "json" ? "jsonl" : "csv";
  if (call.gateway !== null) return copy(call.gateway, `${name}.${form}`, given, io);
  const world = await open();
  const { head, format } = makeExportForm(form, row, left?.(given) ?? []);
  const parts = {
    ...world,
    dayRules: () => settings.quota,
    keepMs: () => settings.log.keepMs,
    providerNames: () => listProviderNames(settings.providers),
    keysExpireMs: () => settings.signIn?.members.keysExpireMs ?? null,
  };
  const sinceMs = since?.(parts, given) ?? null;
  if (sinceMs !== null) io.err(describeRows(formatInstant(sinceMs)));
  // The output ends each text with a line's end, even an empty one.
  const print = (lines: string) => {
    if (lines !== "") io.out(lines.replace(/\n$/, ""));
  };
  let rows = 0;
  let reportedMs = world.clock.nowMs();
  let lines = head;
  let isBegun = false;
  for await (const page of readExport(parts, list, given, EVERYTHING)) {
    if (!isBegun) await noteExport(world, `${name}.${form}`, given);
    isBegun = true;
    lines += page.map(format).join("");
    print(lines);
    lines = "";
    rows += page.length;
    if (world.clock.nowMs() - reportedMs < REPORT_MS) continue;
    reportedMs = world.clock.nowMs();
    io.err(`${rows} rows`);
  }
  if (!isBegun) await noteExport(world, `${name}.${form}`, given);
  print(lines);
}

/** Prints a gateway's export as it comes. */
async function copy(
  gateway: Gateway,
  file: string,
  query: Readonly<Record<string, string>>,
  io: Io,
): Promise<void> {
  const answer = await gateway.open({ route: { method: "GET", path: `/export/${file}` }, query });
  const since = answer.headers.get("x-poundkey-rows-from");
  if (since !== null) io.err(describeRows(since));
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of answer.body ?? []) {
    rest += decoder.decode(piece, { stream: true });
    const end = rest.lastIndexOf("\n");
    // The output ends each text with a line's end.
    if (end !== -1) io.out(rest.slice(0, end));
    rest = rest.slice(end + 1);
  }
  if (rest !== "") io.out(rest);
}

/** An export is on record before its first row is written. */
function noteExport(world: Awaited<ReturnType<Call["open"]>>, id: string, after: object): Promise<void> {
  const target = { type: "export", id, name: "" } as const;
  return recordAct(world, world.act, { action: "export.made", target, after: { ...after } });
}
