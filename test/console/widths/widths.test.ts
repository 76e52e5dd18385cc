// Every page at every width, with long names and foreign ones: the page never scrolls sideways, and no action is out of sight.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { SocketClient } from "../../http/sockets/client.ts";
import { ToolServerFake } from "../../simulator/tools/tool-server.ts";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import { addShown } from "../batch-states.ts";
import { type PeopleWorld, startPeopleWorld } from "../people.ts";
import { findView, type Items, nameViews } from "../views.ts";
import { HAS_BROWSER, openConsole, VISIT_MS, type Visitor } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

/** 720 and 320 are what a zoom of 200 % leaves of 1440 and 640. */
const WIDTHS = [1440, 1280, 1024, 768, 720, 641, 390, 320];
const NAMES = [
  "the-nightly-evaluation-of-all-support-answers-in-production-eu-west-1",
  "مفتاح فريق البحث والتطوير للبيئة الإنتاجية في الرياض",
  "上海研发中心自然语言处理团队生产环境密钥二号备用",
];

let world: PeopleWorld;
let socket: SocketClient;
let items: Partial<Items> = {};
const tools = new ToolServerFake();

beforeAll(async () => {
  const targets = "[{ model: OpenAI#gpt-5.4, weight: 3 }, { model: Mistral#sim-mini }]";
  world = await startPeopleWorld({
    more: `webhooks: [{ url: "http://127.0.0.1:9/a-hook/with/a-long-path/of-its-own/for-the-team-on-call", secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" }]
aliases: { fast: "OpenAI#gpt-5.4", the-model-of-the-team-for-nightly-evaluations: ${targets} }
mcp: { allowed_tools: ["*"], servers: { wiki: { url: "${tools.url}" } } }`,
  });
  const { gateway } = world;
  const messages = [{ role: "user", content: "Hello!" }];
  let key = "";
  let account = "";
  for (const name of NAMES) {
    account = await gateway.newAccount(name);
    const made = await gateway.newKey({
      name,
      account_id: account,
      tags: { team: "the-team-for-nightly-evaluations" },
    });
    key = made.id;
    await gateway.chat({ model: "OpenAI#gpt-5.4", messages }, made);
    await gateway.chat({ model: "no-such-model", messages }, made);
  }
  const answer = await gateway.chat({ model: "Router#best", messages });
  const request = (await answer.json()).id;
  await gateway.chat({ model: "OpenAI#sim-mini~trouble=500", messages });
  await gateway.chat({ model: "OpenAI#gpt-5.4", messages }, { secret: "sk-unknown-to-this-gateway" });
  await fetch(`${gateway.url}/admin/v1/accounts/${account}/topups`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ amount_usd: 1234.56, note: NAMES[0] }),
  });
  const counts = { total: 812_345, completed: 200_123, failed: 12, cancelled: 588 };
  const [batch = ""] = await addShown(world, [{ status: "cancelled", counts, usd: 1234.11 }]);
  const person = await world.add(NAMES[0] ?? "", [{ role: "member", accountId: account }]);
  items = { request, turn: await takeTurn(), key, account, person, batch, tool: "wiki_echo" };
});

/** Returns the request of a turn on a WebSocket, which stays open. */
async function takeTurn(): Promise<string> {
  const { url, secret, adminToken } = world.gateway;
  socket = await new SocketClient(url, secret).open();
  await socket.create({
    model: "OpenAI#gpt-5.4",
    input: [{ type: "message", role: "user", content: "Hello!" }],
  });
  const operator = createOperator({ url, adminToken });
  return until("the turn is in the log", async () => {
    const [turn] = await operator.all("/requests?transport=ws", 1);
    return turn ? String(turn.id) : null;
  });
}

afterAll(async () => {
  socket.close();
  await world.stop();
  await tools.stop();
});

/**
 * Returns the buttons, links and fields of the page that stand outside of the window or of the box of their table, the tables that
 * are wider than theirs, and the page itself if it is too wide.
 */
function listOutside(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    // Sizes take effect with the next picture.
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const { scrollWidth: needed, clientWidth: given } = document.documentElement;
    const outOfSight = [...document.querySelectorAll("main :is(a, button, input, select)")].flatMap((one) => {
      const { left, width, right: end } = one.getBoundingClientRect();
      let right = end;
      // A text that is too long for its cell ends in dots there.
      for (let box = one.parentElement; box && !box.matches(".table-box, main"); box = box.parentElement)
        if (getComputedStyle(box).textOverflow === "ellipsis" && box.getBoundingClientRect().left <= left)
          right = Math.min(right, box.getBoundingClientRect().right);
      const most = one.closest(".table-box")?.getBoundingClientRect().right ?? window.innerWidth;
      const isOut = width > 1 && (left < -1 || right > Math.min(window.innerWidth, most) + 1);
      return isOut ? [`${one.tagName} ${one.textContent || one.ariaLabel}, ${left} to ${right}`] : [];
    });
    const wideTables = [...document.querySelectorAll("main .table-box")].flatMap((box) => {
      const { scrollWidth, clientWidth } = box;
      const label = box.querySelector("table")?.ariaLabel;
      return scrollWidth > clientWidth ? [`the table ${label} by ${scrollWidth - clientWidth}`] : [];
    });
    return [...(needed > given ? ["the page"] : []), ...wideTables, ...outOfSight];
  });
}

describe.skipIf(!HAS_BROWSER)("at every width (skipped without Chromium)", () => {
  let opened: Visitor | null = null;
  afterAll(() => opened?.close());

  test.each(nameViews([]))("the page %s", async (_, view) => {
    opened ??= await openConsole(world);
    const { page, open } = opened;
    const shown = findView(view, items);
    if (shown === null) throw new Error("the page has no item");
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(shown.path);
    await page.getByRole("main").getByText(shown.shows).or(page.getByLabel(shown.shows)).first().waitFor();
    await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
    const outside: unknown[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      outside.push(...(await listOutside(page)).map((one) => [width, one]));
    }
    expect(outside).toEqual([]);
  });
});
