// The most frequent tasks of an operator and a member in a browser, with each click and key counted: `bun test console/flows` prints
// the counts. Pasting is one key, a chord such as Ctrl+K one, and choosing from a list two clicks.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import { asking } from "../../whole/world/world.ts";
import { type PeopleWorld, startPeopleWorld } from "../people.ts";
import { HAS_BROWSER, newVisitor, openConsole, signIn, VISIT_MS, type Visitor } from "../visitor.ts";
import { countFlows } from "./hand.ts";

setDefaultTimeout(VISIT_MS);

let world: PeopleWorld;
let team = "";
let quoted = "";
let leaked: { id: string; secret: string };

beforeAll(async () => {
  world = await startPeopleWorld({
    fetch: async (url, init) =>
      url.includes("/gemini/")
        ? Response.json({ error: { code: 503, message: "The model is overloaded." } }, { status: 503 })
        : fetch(url, init),
  });
  const { gateway } = world;
  team = await gateway.newAccount("Research");
  await createOperator(gateway).patch(`/accounts/${team}`, {
    member_defaults: { budgets: [{ usd: 50, per: "month" }] },
  });
  const batch = await gateway.newKey({ name: "batch-jobs", account_id: team, requests_per_day: 0 });
  leaked = await gateway.newKey({ name: "leaked", account_id: team });
  for (let count = 0; count < 4; count++)
    await (await gateway.chat(asking("OpenAI#gpt-5.4"), { secret: batch.secret })).text();
  quoted = (await gateway.chat(asking("OpenAI#gpt-5.4"))).headers.get("x-request-id") ?? "";
  await until("the provider counts as failing", async () => {
    await (await gateway.chat(asking("Google#gemini-3.5-flash"))).text();
    return (await createOperator(gateway).get("/problems")).text.includes("Google is failing");
  });
  await world.add("Grace", [{ role: "member", accountId: team }]);
});

const { flow, print } = countFlows();

afterAll(async () => {
  print();
  await world.stop();
});

const asOperator = () => openConsole(world);
const asMember = () => world.openAs("mem_grace");
const pages = ({ page }: Visitor) => page.getByRole("navigation", { name: "Pages" });

describe.skipIf(!HAS_BROWSER)("an operator (skipped without Chromium)", () => {
  flow("finds why a key gets 429, and raises its limit", asOperator, { clicks: 5, keys: 9 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.search("batch", "type");
    await page
      .getByRole("list", { name: /^Refusals/ })
      .getByText("rate_limit_exceeded")
      .waitFor();
    await hand.click(page.getByRole("main").getByRole("link", { name: "Raise" }));
    await hand.choose(page.getByLabel("Daily allowance", { exact: true }), "Custom");
    await hand.click(page.getByLabel("Free requests per day"));
    await page.getByLabel("Free requests per day").fill("");
    await hand.type("50");
    await hand.click(page.getByRole("button", { name: "Save" }));
    await page.getByText("Saved").waitFor();
  });

  flow("tops up an account", asOperator, { clicks: 4, keys: 0 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.click(pages(hand.visitor).getByRole("link", { name: "Accounts" }));
    await hand.click(page.getByRole("button", { name: "Top up Research" }));
    await hand.click(page.getByRole("dialog").getByRole("button", { name: "$50", exact: true }));
    await hand.click(page.getByRole("dialog").getByRole("button", { name: "Top up" }));
    await page.getByRole("row").filter({ hasText: "Research" }).getByText("$50.00").waitFor();
  });

  flow("issues a key with a budget", asOperator, { clicks: 6, keys: 5 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.click(pages(hand.visitor).getByRole("link", { name: "Keys" }));
    await hand.click(page.getByRole("button", { name: "Add New Key" }));
    await hand.type("shop");
    await hand.click(page.getByRole("button", { name: "Add a budget" }));
    await hand.click(page.getByLabel("USD", { exact: true }));
    await hand.type("5");
    await hand.click(page.getByRole("button", { name: "Create key" }));
    await hand.click(page.getByRole("button", { name: "Copy key" }));
    await page.getByRole("button", { name: "Copied" }).waitFor();
  });

  flow(
    "finds a client's request by the id that it quotes",
    asOperator,
    { clicks: 0, keys: 3 },
    async (hand) => {
      await hand.search(quoted, "paste");
      await hand.visitor.page.getByRole("main").getByText(quoted).waitFor();
    },
  );

  flow("sees who cost the most last month", asOperator, { clicks: 2, keys: 0 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.click(page.getByRole("button", { name: "Last month" }));
    await hand.click(page.getByRole("button", { name: "Key", exact: true }));
    // There was nothing in the month before.
    await page.getByRole("heading", { name: "No requests in this period" }).waitFor();
    expect(page.url()).toContain("range=last-month");
  });

  flow(
    "sees since when a provider fails, and its words",
    asOperator,
    { clicks: 1, keys: 0 },
    async (hand) => {
      const { page } = hand.visitor;
      await hand.click(
        page.getByRole("region", { name: "Problems" }).getByRole("link", { name: "Why?" }).first(),
      );
      await page.getByText("Failing since").first().waitFor();
      await page.getByText("The model is overloaded.").first().waitFor();
    },
  );

  flow("rotates a leaked key, known by its last four", asOperator, { clicks: 5, keys: 6 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.search(leaked.secret.slice(-4), "type");
    await page.getByRole("heading", { level: 1, name: "leaked" }).waitFor();
    await hand.click(page.getByRole("main").getByRole("button", { name: "Rotate" }));
    const dialog = page.getByRole("dialog");
    await hand.choose(dialog.getByLabel("The old secret works"), "No longer");
    await hand.click(dialog.getByRole("button", { name: "Rotate key" }));
    await hand.click(page.getByRole("button", { name: "Copy key" }));
    await page.getByRole("button", { name: "Copied" }).waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)("a member (skipped without Chromium)", () => {
  flow(
    "goes to the company's sign-in",
    () => newVisitor(world),
    { clicks: 1, keys: 0 },
    async (hand) => {
      const { page } = hand.visitor;
      const left = page.waitForRequest((request) => request.url().includes("/auth/oidc/start"));
      await hand.click(page.getByRole("link", { name: "Sign in with issuer.example" }));
      await left;
    },
  );

  flow(
    "signs in with a token",
    () => newVisitor(world),
    { clicks: 1, keys: 0 },
    async (hand) => {
      await signIn(hand.visitor, world.gateway.adminToken);
      hand.clicks++;
      await hand.visitor.page.getByRole("heading", { name: "Overview" }).waitFor();
    },
  );

  flow("makes a personal key", asMember, { clicks: 4, keys: 6 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.click(pages(hand.visitor).getByRole("link", { name: "Keys" }));
    await hand.click(page.getByRole("button", { name: "Add New Key" }).first());
    await hand.type("laptop");
    await hand.click(page.getByRole("button", { name: "Create key" }));
    await hand.click(page.getByRole("button", { name: "Copy key" }));
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const secret = await page.evaluate(() => navigator.clipboard.readText());
    expect((await world.gateway.chat(asking("OpenAI#gpt-5.4"), { secret })).status).toBe(200);
  });

  flow("sees what a key used", asMember, { clicks: 2, keys: 0 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.click(pages(hand.visitor).getByRole("link", { name: "Keys" }));
    await hand.click(page.getByRole("main").getByRole("link", { name: "laptop" }));
    await page.getByRole("region", { name: "Requests" }).getByText("1", { exact: true }).waitFor();
  });

  flow("asks for more", asMember, { clicks: 5, keys: 18 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.click(pages(hand.visitor).getByRole("link", { name: "Ask for more" }));
    await hand.click(page.getByRole("button", { name: "Ask for more in Research" }));
    const dialog = page.getByRole("dialog");
    await hand.click(dialog.getByLabel("How much more (USD)"));
    await hand.type("20");
    const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
    await dialog.getByLabel("Until").fill(day);
    hand.keys += "ddmmyyyy".length;
    await hand.click(dialog.getByLabel("Reason"));
    await hand.type("The demo");
    await hand.click(dialog.getByRole("button", { name: "Ask", exact: true }));
    await page.getByRole("table", { name: "Requests for more" }).getByText("open", { exact: true }).waitFor();
  });
});
