// The native lane's CPU time against chat's: the same provider answer, requested in the provider's API and in OpenAI's.

import { CHUNKS } from "../cpu.ts";
import { computeMedian, shown, spread } from "../figures.ts";
import { costs, warmedUp } from "../measure.ts";
import type { Aim, Finding, Table } from "../report.ts";
import { prepareAsk } from "./client.ts";
import { makeSecret } from "./seed.ts";
import { askGateway, type Contender, type Scenario, type Stage, writeBody } from "./stage.ts";

const CONNECTIONS = 32;
const ROUNDS = 7;
const NATIVE = "Messages, native";
const CHAT = "chat, same dialect";
const TRANSLATED = "chat, translated";
/** A multiple of the cost of chat with a provider of the same dialect. */
const RATIO_MAX = 1.15;

interface Case {
  readonly title: string;
  readonly manner: string;
  readonly chunks: number | null;
  readonly requests: number;
  /** The number of requests before the first round. */
  readonly before: number;
}

const CASES: readonly Case[] = [
  { title: "whole answers, 1 KB", manner: "", chunks: null, requests: 4000, before: 24_000 },
  {
    title: `streams of ${CHUNKS} chunks in one burst`,
    manner: `~chunks=${CHUNKS}`,
    chunks: CHUNKS,
    requests: 640,
    before: 12_000,
  },
];

function contenders({ gateway: { pid, port } }: Stage, { manner, chunks }: Case): readonly Contender[] {
  const openai: Scenario = { speech: "openai", manner, chunks };
  const anthropic: Scenario = { speech: "anthropic", manner, chunks };
  const headers = { "x-api-key": makeSecret(0) };
  const body = writeBody("Foreign#m", anthropic, "anthropic");
  const native = prepareAsk(port, "/v1/messages", headers, body, { surface: "anthropic", chunks });
  return [
    { name: CHAT, pid, ask: askGateway(port, openai) },
    { name: NATIVE, pid, ask: native },
    { name: TRANSLATED, pid, ask: askGateway(port, anthropic) },
  ];
}

async function compare(stage: Stage, one: Case): Promise<{ readonly table: Table; readonly aim: Aim }> {
  const all = contenders(stage, one);
  const requests = stage.size(one.requests, 16);
  await warmedUp(all, { connections: CONNECTIONS, requests: stage.size(one.before, 16) });
  const load = { connections: CONNECTIONS, warmUp: Math.ceil(requests / 5), requests };
  const found = await costs(all, stage.size(ROUNDS, 1), load);
  const readCpu = (name: string) => (found.get(name) ?? []).map(({ cpuMicros }) => cpuMicros);
  const chat = computeMedian(readCpu(CHAT));
  const rows = all.map(({ name }) => [
    name,
    spread(readCpu(name)),
    shown(computeMedian(readCpu(name)) / chat),
  ]);
  return {
    table: { head: [one.title, "CPU per request, µs", "times chat"], rows },
    aim: {
      what: `The native lane's CPU per request over chat's, ${one.title}`,
      measured: computeMedian(readCpu(NATIVE)) / chat,
      unit: "×",
      atMost: RATIO_MAX,
    },
  };
}

export async function benchNative(stage: Stage): Promise<Finding> {
  const results: Awaited<ReturnType<typeof compare>>[] = [];
  for (const one of CASES) results.push(await compare(stage, one));
  return {
    title: "CPU per request: the native lane",
    note: "One gateway, one run: the same answer by the provider's own API, by chat completions in the provider's dialect, and translated.",
    tables: results.map(({ table }) => table),
    aims: results.map(({ aim }) => aim),
    bars: results.map(({ table }) => ({
      title: table.head[0] ?? "",
      unit: "times chat",
      bars: table.rows.map(([name = "", , times = "0"]) => ({ name, value: Number(times) })),
    })),
  };
}
