// The page Tools and the field of allowed tools, in front of real tool servers: one that is up, and one that is down.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ToolServerFake } from "../simulator/tools/tool-server.ts";
import { createOperator } from "../whole/world/operator.ts";
import { findAnswer, openModel, press, readAnswer, readCurl } from "./models/playground-user.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

const ALLOWED = "Tools that may be called";
const EXCEPT = "Except";

const LOOKS = [
  { colorScheme: "light", viewport: { width: 1440, height: 900 } },
  { colorScheme: "dark", viewport: { width: 390, height: 844 } },
] as const;
const schema = { type: "object", properties: { query: { type: "string" } } };

let world: ConsoleWorld;
let github: ToolServerFake;
beforeAll(async () => {
  github = new ToolServerFake();
  const gone = new ToolServerFake();
  await gone.stop();
  github.tools = [
    ...["read", "write", "delete_repo"].map((name) => ({
      name,
      description: `Can ${name}.`,
      inputSchema: schema,
    })),
    { name: "odd", inputSchema: { type: "string" } },
    { name: "read\u202edda", inputSchema: { type: "string" } },
  ];
  world = await startConsoleWorld({
    more: `mcp:
  allowed_tools: ["github_*"]
  servers:
    github: { url: "${github.url}", price_per_call: 0.002 }
    gone: { url: "${gone.url}" }`,
  });
  const operator = createOperator(world.gateway);
  const { body } = await operator.post("/accounts", {
    name: "Team",
    allowed_tools: ["github_*", "!*_delete_*"],
  });
  await operator.post("/keys", { name: "robot", account_id: body.id });
});
afterAll(async () => {
  await world.stop();
  await github.stop();
});

describe.skipIf(!HAS_BROWSER)("the page Tools (skipped without Chromium)", () => {
  test.each(LOOKS)("shows servers, their tools, who may call one and how to connect, %j", async (look) => {
    const { page, leave } = await openConsole(world, "/tools", look);
    const servers = page.getByRole("table", { name: "Servers" });
    const up = servers.getByRole("row").filter({ hasText: github.url });
    await up.getByText("up", { exact: true }).waitFor();
    await up.getByText("2 left out").click();
    await up.getByText("odd: its schema is not that of an object").waitFor();
    await up.getByText("read\\u202edda: its schema is not that of an object").waitFor();
    await servers.getByRole("row").filter({ hasText: "gone" }).getByText("down", { exact: true }).waitFor();
    expect(await isTooWide(page)).toBe(false);

    await page.getByLabel("Key", { exact: true }).selectOption({ label: "robot" });
    const row = (name: string) =>
      page.getByRole("table", { name: "Tools" }).getByRole("row").filter({ hasText: name });
    await row("github_read").getByText("may call it").waitFor();
    await row("github_delete_repo").getByText("may not").waitFor();

    await page.getByRole("button", { name: "How to connect" }).click();
    for (const title of ["Claude Code", "Codex", "Cursor", "VS Code"]) {
      await page.getByRole("tab", { name: title, exact: true }).click();
      const lines = page.getByRole("tabpanel", { name: title });
      await lines.getByText(`${world.gateway.url}/mcp`).waitFor();
    }
    await page.getByRole("button", { name: "Done" }).click();

    await page.getByRole("link", { name: "github_write" }).click();
    await page.getByText('"query"').waitFor();
    await page.getByRole("table", { name: "Keys" }).getByText("robot").waitFor();
    await page.getByText("$0.002").waitFor();
    expect(await isTooWide(page)).toBe(false);
    await leave();
  });

  test("a key's list shows which tools it matches as they are chosen, and is kept as chosen", async () => {
    const { page, leave } = await openConsole(world, "/settings/router");
    await page.getByRole("button", { name: "Add New Key" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name", { exact: true }).fill("chosen");
    await form.getByText(/^More:/).click();
    const which = form.getByLabel("Allowed tools");
    const status = form.getByRole("status");
    const add = async (label: string, name: string) => {
      await form.getByLabel(label, { exact: true }).fill(name);
      await page.keyboard.press("Enter");
    };
    await which.selectOption("No tool");
    await status.filter({ hasText: "No tool" }).waitFor();
    await which.selectOption("Only some…");
    await add(ALLOWED, "github_*");
    await add(EXCEPT, "github_w*");
    await status.filter({ hasText: "2 of 3 tools" }).waitFor();
    expect(await form.getByRole("list", { name: "Tools that are matched" }).innerText()).toMatch(
      /github_delete_repo\s+github_read/,
    );
    await form.getByRole("button", { name: "Remove github_*" }).click();
    await add(ALLOWED, "jira_*");
    await status.filter({ hasText: "0 of 3 tools" }).waitFor();
    await form.getByText("No tool that you see is matched by jira_*").waitFor();
    await form.getByRole("button", { name: "Remove jira_*" }).click();
    await form.getByLabel(ALLOWED, { exact: true }).fill("read");
    await form.getByRole("list", { name: "Tools found" }).getByRole("button").first().click();
    expect(await findBarriers(page)).toEqual([]);
    await form.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "chosen is ready" }).waitFor();
    const keys = await createOperator(world.gateway).all("/keys", 50);
    const allowed = keys.find(({ name }) => name === "chosen")?.allowed_tools;
    expect(allowed).toEqual(["github_read", "!github_w*"]);
    await page.getByRole("button", { name: "Done" }).click();
    await leave();
  });

  test("the playground names servers, and the request's page shows the response's questions and calls", async () => {
    const model = "OpenAI#gpt-4.1";
    const { page, open, leave } = await openModel(world, model, "Response");
    await page
      .getByLabel("Input", { exact: true })
      .fill('step 1: call github_read({"text":"one"}) step 2: say: done');
    await page.getByLabel("github", { exact: true }).check();
    expect(await readCurl(page)).toContain('"server_url": "poundkey:github"');
    await press(page, "Send");
    const text = await readAnswer(page, model);
    expect(text).toMatch(/3 tools of github\s+called github read\s+done/);
    await findAnswer(page).getByText("called").click();
    await findAnswer(page).getByText("read: one").waitFor();
    const [latest] = await createOperator(world.gateway).all("/requests?operation=tool", 1);
    await open(`/activity/${latest?.id}`);
    const parts = page.getByRole("table", { name: "Requests of the response" });
    await parts.getByText("mcp:github#read").waitFor();
    expect(await parts.getByRole("row").filter({ hasText: model }).count()).toBe(2);
    await leave();
  });
});
