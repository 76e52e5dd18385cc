// Calls that operators tried and that the command line refused, or understood on some commands alone: all of them at a gateway
// on another port, in an empty folder.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { EXIT } from "../../src/app/terminal.ts";
import { runCommandLine } from "../../src/cli/commands.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { createOperator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
  const team = await world.newAccount("Search");
  const { secret } = await world.newKey({ name: "web-frontend", account_id: team, requests_per_day: null });
  await (await world.chat(asking("Acme#cheap"), { secret })).text();
  const operator = createOperator(world);
  await until("the request is summed", async () =>
    JSON.stringify((await operator.get("/usage?group_by=model")).body).includes("Acme#cheap"),
  );
  process.env.POUNDKEY_TOKEN = world.adminToken;
});
afterAll(async () => {
  delete process.env.POUNDKEY_TOKEN;
  expect(readdirSync(".")).toEqual([]);
  await world.stop();
});

/** In their order: the last ones change what those before show. */
const CALLS: readonly (readonly [line: string, says: RegExp])[] = [
  ["requests --key web-frontend", /Acme#cheap.*web-frontend|web-frontend.*Acme#cheap/],
  ["requests --from yesterday --account Search", /Acme#cheap/],
  ["requests --from -7d --model Acme#cheap --limit 1", /Acme#cheap/],
  ["refusals --from last-month", /^/],
  ["usage --from yesterday", /^DAY .*\n20\d\d-/],
  ["usage --from -7d --group-by key", /web-frontend/],
  ["usage --from last-month --to yesterday", /^/],
  ["providers --from -7d", /Acme/],
  ["statement --account Search", /^Search \(acct_\w+\), 20\d\d-\d\d\n.*\n(.*\n)*closing_balance/],
  ["statement --account Search --month last-month", /^closing_balance/m],
  ["accounts show Search", /Search/],
  ["accounts topup Search 5", /by 5 USD/],
  ["keys list", /web-frontend/],
  ["keys add --name second --account Search", /second/],
  ["tokens add --name report --role viewer --accounts Search", /report/],
  ["tokens list", /report/],
  ["members list", /^/],
  ["batches list", /no batches/],
  ["files list", /no files/],
  ["models --provider Acme", /Acme#cheap/],
  ['route "Say hello."', /Router#fair chooses/],
  ["export usage --from -7d --csv", /^day,requests,/],
  ["tokens revoke report", /Revoked/],
  ["keys rotate web-frontend --grace 1h", /web-frontend/],
  ["keys revoke web-frontend", /Revoked key_\w+ \(web-frontend\)/],
  ["keys revoke second", /Revoked/],
];

test("each call of an operator is understood at the gateway", async () => {
  const wrong: (readonly unknown[])[] = [];
  for (const [line, says] of CALLS) {
    const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
    const { code, out, err } = await runPrinting((io) =>
      runCommandLine([...words, "--gateway", world.url], io),
    );
    if (code !== EXIT.done || !says.test(out + err)) wrong.push([line, code, out, err]);
  }
  expect(wrong).toEqual([]);
});

test("tables are as wide as the terminal, with names before ids", async () => {
  for (const line of ["requests", "keys list", "accounts list", "tokens list", "usage"]) {
    const print = (width: number) =>
      runPrinting((io) => runCommandLine([...line.split(" "), "--gateway", world.url], { ...io, width }));
    const { out } = await print(80);
    const wide = out.split("\n").filter((row) => row.length > 80);
    expect([line, wide]).toEqual([line, []]);
  }
  const { out } = await runPrinting((io) => runCommandLine(["keys", "list", "--gateway", world.url], io));
  const [head = ""] = out.split("\n");
  expect(head).toMatch(/^NAME .*\bID\b/);
});
