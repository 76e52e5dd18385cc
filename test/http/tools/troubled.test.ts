// A server in trouble beside others, and a tool in trouble for one account: they hold up nobody else's calls, and are found again.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { until } from "../../whole/world/until.ts";
import { startToolsWorld, type ToolsWorld } from "./tools-world.ts";

const PARALLEL = 32;
/** The most of them that one account may hold. */
const SHARE = 24;

let world: ToolsWorld;
beforeAll(async () => {
  world = await startToolsWorld({
    servers: {
      well: { era: "older", sessions: true },
      hangs: { era: "older" },
      gone: { era: "older", sessions: true },
      closed: { era: "older", token: "Bearer another" },
    },
  });
});
afterAll(() => world.stop());

const call = (name: string, text = "a", secret = world.secret) =>
  world.ask("tools/call", { name, arguments: { text } }, { secret });
const readCode = (result: JsonObject) => asObject(asObject(result._meta)["poundkey/error"]).code;
const isEcho = ({ content }: JsonObject) => String(asObject(asArray(content)[0]).text).startsWith("echo: ");

test("a tool server that hangs with as many calls as an account may have there holds up no other account's calls", async () => {
  const { hangs } = world.servers;
  const slow = Array.from({ length: SHARE }, () => call("hangs_slow"));
  await until("all of them hang", () => hangs?.countRuns("slow") === SHARE);
  const next = call("hangs_echo");
  const account_id = await world.newAccount("second");
  const { secret: second } = await world.newKey({ account_id, requests_per_day: null });
  const theirs = Array.from({ length: PARALLEL - SHARE }, () => call("hangs_echo", "b", second));
  expect((await Promise.all(theirs)).every(isEcho)).toBe(true);
  expect(readCode(await next)).toBe("tool_server_busy");
  const others = await Promise.all(Array.from({ length: PARALLEL }, () => call("well_echo")));
  expect(others.every(isEcho)).toBe(true);
  const { tools } = await world.ask("tools/list");
  expect(asArray(tools).map((tool) => asObject(tool).name)).toContain("hangs_echo");
  for (let at = 0; at < SHARE; at++) hangs?.finish();
  expect((await Promise.all(slow)).every(({ isError }) => isError === undefined)).toBe(true);
  expect(isEcho(await call("hangs_echo"))).toBe(true);
});

test("a call to a tool server that refuses the gateway's credential says so, and no tool runs", async () => {
  const refused = await call("closed_echo");
  expect(readCode(refused)).toBe("tool_server_auth");
  expect(JSON.stringify(refused)).not.toContain("The call may have been carried out");
  expect(world.servers.closed?.countRuns("echo")).toBe(0);
});

test("a tool server that is killed under load fails alone, and is called in a new session once it is back", async () => {
  let isOver = false;
  const answers: JsonObject[] = [];
  const load = async () => {
    while (!isOver) answers.push(await call("well_echo"));
  };
  const loads = [load(), load()];
  expect(isEcho(await call("gone_echo"))).toBe(true);
  await world.servers.gone?.stop();
  for (let at = 0; at < 4; at++) expect(readCode(await call("gone_echo"))).toBe("tool_server_unavailable");
  world.servers.gone?.restart();
  await until("it is found", async () => isEcho(await call("gone_echo")));
  isOver = true;
  await Promise.all(loads);
  expect(answers.every(isEcho)).toBe(true);
  expect(world.servers.gone?.mistakes).toEqual([]);
});

test("a crashing tool that one account repeats leaves another's calls served, 143 of 143, of that tool too", async () => {
  const { well } = world.servers;
  const account_id = await world.newAccount("third");
  const { secret: other } = await world.newKey({ account_id, requests_per_day: null });
  const codes = new Set<unknown>();
  let served = 0;
  for (let at = 0; at < 143; at++) {
    for (let again = 0; again < 6; again++) {
      well?.plan("tools/call", { kind: "status", status: 500 });
      codes.add(readCode(await call("well_progress")));
      // A call that wasn't sent leaves the fault to the next one.
      well?.faults.delete("tools/call");
    }
    const answer = await call(at % 2 === 0 ? "well_echo" : "well_progress", "b", other);
    if (asArray(answer.content).length > 0 && answer.isError === undefined) served++;
  }
  expect(served).toBe(143);
  expect([...codes]).toEqual(["tool_server_unavailable"]);
  const [state] = asArray((await world.read("/mcp/servers")).data)
    .map(asObject)
    .filter(({ name }) => name === "well");
  expect(state).toMatchObject({ state: "up" });
});
