// Tasks of a new operator, a team's lead and finance, with each click and key counted: `bun test console/flows` prints the
// counts. Behind each name stands what it took in 1.2.0, if that could be counted.
import { afterAll, beforeAll, describe, setDefaultTimeout } from "bun:test";
import { createOperator } from "../../whole/world/operator.ts";
import { asking } from "../../whole/world/world.ts";
import { type PeopleWorld, PHONE, startPeopleWorld } from "../people.ts";
import { HAS_BROWSER, openConsole, VISIT_MS, type Visitor } from "../visitor.ts";
import { countFlows } from "./hand.ts";

setDefaultTimeout(VISIT_MS);

let world: PeopleWorld;
let leaked: { id: string; secret: string };
beforeAll(async () => {
  world = await startPeopleWorld();
  const team = await world.gateway.newAccount("Search");
  const member_defaults = { budgets: [{ usd: 50, per: "month" }] };
  await createOperator(world.gateway).patch(`/accounts/${team}`, { member_defaults });
  leaked = await world.gateway.newKey({ name: "leaked", account_id: team });
  await (await world.gateway.chat(asking("OpenAI#gpt-5.4"), { secret: leaked.secret })).text();
  await world.add("Grace", [{ role: "member", accountId: team }]);
  await world.add("Lead", [{ role: "manager", accountId: team }]);
  await world.add("Bill", [{ role: "billing", accountId: null }]);
});

const { flow, print } = countFlows();

afterAll(async () => {
  print();
  await world.stop();
});

const asOperator = () => openConsole(world);
const pages = ({ page }: Visitor) => page.getByRole("navigation", { name: "Pages" });

describe.skipIf(!HAS_BROWSER)("an operator (skipped without Chromium)", () => {
  flow("adds a provider's key, which is tried (3)", asOperator, { clicks: 4, keys: 1 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.click(pages(hand.visitor).getByRole("link", { name: "Providers" }));
    const card = page.getByRole("region", { name: "Mistral", exact: true });
    await hand.click(card.getByRole("button", { name: "Add credential" }));
    const dialog = page.getByRole("dialog");
    await dialog.locator("input:focus").waitFor();
    await hand.paste("sim-key-second");
    await hand.click(dialog.getByRole("button", { name: "Add credential" }));
    await dialog.getByText("It works").waitFor();
    await hand.click(dialog.getByRole("button", { name: "Done" }));
  });

  flow(
    "gives a team a budget, without a word of a language (4)",
    asOperator,
    { clicks: 6, keys: 3 },
    async (hand) => {
      const { page } = hand.visitor;
      await hand.click(pages(hand.visitor).getByRole("link", { name: "Accounts" }));
      await hand.click(page.getByRole("main").getByRole("link", { name: "Search" }));
      await hand.click(page.getByRole("main").getByRole("button", { name: "Edit" }));
      const dialog = page.getByRole("dialog");
      await hand.click(dialog.getByRole("button", { name: "Add a budget" }).first());
      await hand.click(dialog.getByLabel("USD", { exact: true }).first());
      await hand.type("300");
      await hand.click(dialog.getByRole("button", { name: "Save" }));
      await page.getByText("of $300.00").first().waitFor();
    },
  );

  flow(
    "makes an alias with a fallback, without the manual (JSON)",
    asOperator,
    { clicks: 8, keys: 23 },
    async (hand) => {
      const { page } = hand.visitor;
      await hand.click(pages(hand.visitor).getByRole("link", { name: "Limits" }));
      await hand.click(page.getByRole("button", { name: "Add alias" }));
      const dialog = page.getByRole("dialog");
      await hand.type("house");
      await hand.click(dialog.getByRole("button", { name: "Several, in order" }));
      for (const [label, part, model] of [
        ["1. model", "gpt-5.4", "OpenAI#gpt-5.4"],
        ["2. model", "mistral-med", "Mistral#mistral-medium-2508"],
      ] as const) {
        await hand.click(dialog.getByRole("combobox", { name: label }));
        await hand.type(part);
        await hand.click(page.getByRole("option", { name: model, exact: true }));
      }
      await hand.click(dialog.getByRole("button", { name: "Add alias" }));
      await dialog.waitFor({ state: "detached" });
    },
  );

  flow("asks three models the same (5, three pickers)", asOperator, { clicks: 4, keys: 8 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.click(pages(hand.visitor).getByRole("link", { name: "Playground" }));
    await hand.click(page.getByRole("button", { name: "Compare" }));
    await hand.click(page.getByLabel("Message"));
    await hand.type("Say one");
    await hand.press("Control+Enter");
    await page
      .getByText(/tokens/)
      .nth(1)
      .waitFor();
  });

  flow(
    "opens a leaked key by its whole secret, with what to do (nothing was found)",
    asOperator,
    { clicks: 2, keys: 3 },
    async (hand) => {
      const { page } = hand.visitor;
      await hand.search(leaked.secret, "paste");
      await page.getByText(/^The secret that you pasted is this key's/).waitFor();
      await hand.click(page.locator(".notice").getByRole("button", { name: "Rotate" }));
      await hand.click(page.getByRole("dialog").getByRole("button", { name: "Rotate key" }));
      await page.getByRole("button", { name: "Copy key" }).waitFor();
    },
  );

  flow("opens a statement (2)", asOperator, { clicks: 2, keys: 0 }, async (hand) => {
    const { page } = hand.visitor;
    await hand.click(pages(hand.visitor).getByRole("link", { name: "Statements" }));
    await hand.click(page.getByRole("table").getByRole("link", { name: "Search" }));
    await page.getByText("Balance before").waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)("a team (skipped without Chromium)", () => {
  flow(
    "finance has the month with names (3 clicks for each of nine teams)",
    () => world.openAs("mem_bill"),
    { clicks: 2, keys: 0 },
    async (hand) => {
      const { page } = hand.visitor;
      await hand.click(page.getByRole("link", { name: "Statements" }));
      const download = page.waitForEvent("download");
      await hand.click(page.getByRole("link", { name: "CSV" }));
      await download;
    },
  );

  flow(
    "a member asks for more on a phone (10)",
    () => world.openAs("mem_grace", "/", PHONE),
    { clicks: 2, keys: 6 },
    async (hand) => {
      const { page } = hand.visitor;
      await hand.click(page.getByRole("button", { name: "Ask for more in Search" }));
      await hand.type("A demo");
      await hand.click(page.getByRole("dialog").getByRole("button", { name: "Ask", exact: true }));
      await page.getByText(/^You asked for/).waitFor();
    },
  );

  flow(
    "and whoever decides grants it by one tap, two taps away (4)",
    () => world.openAs("mem_lead", "/", PHONE),
    { clicks: 3, keys: 0 },
    async (hand) => {
      const { page } = hand.visitor;
      await hand.click(page.getByRole("button", { name: "1 thing needs you" }));
      await hand.click(page.getByRole("dialog").getByRole("link", { name: /asks for more/ }));
      await hand.click(page.getByRole("button", { name: /^Grant/ }));
      await page.getByText("granted").first().waitFor();
    },
  );
});
