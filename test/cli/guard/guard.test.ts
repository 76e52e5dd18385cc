// `poundkey guard`: what the rules of a file find in a text or a body, and the detectors.
import { expect, test } from "bun:test";
import { runGuard } from "../../../src/cli/guard/guard.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { readFrom } from "../../harness/settings.ts";

const RULES = `guard:
  rules:
    - { name: personal, detect: [email, card, "words:names"], accounts: [nobody] }
    - { name: keys, detect: [aws_key], at: [answer] }
  words: { names: [Kestrel GmbH] }
  allow: ["*@own.example.net"]
`;
const TEXT =
  "Hello,\nwrite to ada@corp-x.de: 4532 0151 1283 0366\nof KESTREL  GmbH, not to us@own.example.net\n";

function guard(args: readonly string[], { text = TEXT, rules = RULES } = {}) {
  const source = {
    env: () => undefined,
    readConfig: readFrom({ "poundkey.yaml": rules }),
    readFile: readFrom({}),
    known: [],
  };
  const ports = { readFile: async () => text, readStandardInput: async () => text };
  return runPrinting((io) => runGuard(args, io, source, ports));
}

test("prints line, column, detector, length and action of each value, and no value", async () => {
  const { code, out } = await guard(["try", "notes.txt"]);
  expect(code).toBe(0);
  expect(out.trim().split("\n")).toEqual([
    "2:10 email 13 report",
    "2:25 card 19 report",
    "3:4 words:names 13 report",
  ]);
});

test("says that nothing was found, and searches by the rules of a place or a name alone", async () => {
  const found = await guard(["try", "--at", "answer"]);
  expect(found).toMatchObject({ code: 0, out: "" });
  expect(found.err).toContain("Nothing was found.");
  expect((await guard(["try", "--rule", "keys"])).out).toBe("");
  const key = { text: `id ${"AKIA"}QWERTYUI23456765` };
  expect((await guard(["try", "--at", "answer"], key)).out).toBe("1:4 aws_key 20 report");
});

test("a body of token ids is refused, as its request would be", async () => {
  const rules = RULES.replace("accounts: [nobody]", "action: mask");
  const body = JSON.stringify({ model: "m", input: [[1, 2, 3]] });
  const { code, err } = await guard(["try", "body.json", "--body", "/v1/embeddings"], { text: body, rules });
  expect([code, err]).toEqual([
    1,
    "poundkey: body.json: The guard rule 'personal' refused the request: a text must be sent as text, not as token ids.",
  ]);
});

test("reads a body as its path does: integers too, and a field's name before its value", async () => {
  const json = JSON.stringify({ card: 4532015112830366, to: "ada@corp-x.de" });
  const call = { id: "c", type: "function", function: { name: "pay", arguments: json } };
  const body = {
    model: "m",
    messages: [{ role: "assistant", content: null, tool_calls: [call] }],
    user: "eve@corp-x.de",
  };
  const { out } = await guard(["try", "--body", "/v1/chat/completions"], { text: JSON.stringify(body) });
  const place = "messages[0].tool_calls[0].function.arguments";
  expect(out.trim().split("\n").toSorted()).toEqual([
    `${place} card 16 report`,
    `${place} email 13 report`,
    "user email 13 report",
  ]);
  const rules = "guard: { rules: [{ name: ids, detect: [us_ssn] }] }";
  const input = { social_security: "536904399", other: "536904390" };
  const messages = [{ role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input }] }];
  const text = JSON.stringify({ model: "m", max_tokens: 1, messages });
  const found = await guard(["try", "--body", "/v1/messages"], { text, rules });
  expect(found.out).toBe("messages[0].content[0].input us_ssn 9 report");
});

test("reads answers too", async () => {
  const answer = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "Ask ada@corp-x.de" }],
  };
  const rules = "guard: { rules: [{ name: a, detect: [email], at: [answer] }] }";
  const given = { text: JSON.stringify(answer), rules };
  const { out } = await guard(["try", "--at", "answer", "--body", "/v1/messages"], given);
  expect(out).toBe("content[0].text email 13 report");
});

test("prints JSON, and the text as it would leave", async () => {
  const { out } = await guard(["try", "--json", "--show"]);
  const { findings, text } = JSON.parse(out);
  expect(text).toBe(TEXT);
  expect(findings[0]).toEqual({
    path: null,
    from: 16,
    to: 29,
    detector: "email",
    action: "report",
    rule: "personal",
  });
  expect((await guard(["try", "--show"])).out).toBe(TEXT.trimEnd());
});

const ACTING = `guard:
  rules:
    - { name: people, detect: [email], action: swap }
    - { name: cards, detect: [card], action: mask }
    - { name: words, detect: ["words:names"], action: refuse }
  words: { names: [Kestrel GmbH] }
`;

test("names the action of each value, and shows the text with codes of this run", async () => {
  const { out } = await guard(["try"], { rules: ACTING });
  expect(out.trim().split("\n")).toEqual([
    "2:10 email 13 swap",
    "2:25 card 19 mask",
    "3:4 words:names 13 refuse",
  ]);
  const show = async () => (await guard(["try", "--show"], { rules: ACTING })).out;
  const shown = await show();
  expect(shown).toMatch(
    /^Hello,\nwrite to <EMAIL_\w{8}>: \[CARD\]\nof KESTREL {2}GmbH, not to us@own\.example\.net$/,
  );
  expect(await show()).not.toBe(shown);
  expect((await guard(["try", "--show", "--rule", "cards"], { rules: ACTING })).out).toBe(
    TEXT.trimEnd().replace("4532 0151 1283 0366", "[CARD]"),
  );
});

test("shows a body as it would leave", async () => {
  const messages = [{ role: "user", content: "4532 0151 1283 0366" }];
  const text = JSON.stringify({ model: "m", messages, temperature: 0 });
  const body = ["try", "--body", "/v1/chat/completions"];
  const { out } = await guard([...body, "--show"], { text, rules: ACTING });
  const hidden = { model: "m", messages: [{ role: "user", content: "[CARD]" }], temperature: 0 };
  expect(JSON.parse(out)).toEqual(hidden);
  const { out: json } = await guard([...body, "--show", "--json"], { text, rules: ACTING });
  expect(JSON.parse(json)).toEqual({
    findings: [
      { path: "messages[0].content", from: 0, to: 19, detector: "card", action: "mask", rule: "cards" },
    ],
    body: hidden,
  });
});

test("a body above 1 MiB is refused with the bound, and a text isn't", async () => {
  const text = JSON.stringify({ model: "m", messages: [{ role: "user", content: "x ".repeat(600_000) }] });
  const { code, err } = await guard(["try", "b.json", "--body", "/v1/chat/completions"], { text });
  expect([code, err]).toEqual([1, expect.stringContaining("b.json is too long: a body may have at most")]);
  expect(err).toContain("1 MiB");
  expect((await guard(["try", "b.json"], { text })).code).toBe(0);
});

test("lists the detectors", async () => {
  const { out } = await guard(["detectors"]);
  expect(out).toMatch(/^NAME +GROUP +MARK +RULE\n/);
  const rows: readonly unknown[] = JSON.parse((await guard(["detectors", "--json"])).out);
  expect(rows).toContainEqual(expect.objectContaining({ name: "email", group: "contact", mark: "EMAIL" }));
});

test.each([
  [["try", "--rule", "persnal"], 2, "no rule 'persnal'; did you mean personal?"],
  [["try", "--rule", "x"], 2, "it has personal, keys"],
  [["try", "--body", "/v1/mesages"], 2, "did you mean /v1/messages?"],
  [["try", "--at", "answers"], 2, "--at must be request or answer; did you mean answer?"],
  [["tri"], 2, "did you mean try?"],
  [[], 2, "expected try or detectors"],
  [["try", "--body", "/v1/messages", "-"], 1, "'model'"],
])("a mistake names what would be right: %p", async (args, code, words) => {
  const found = await guard(args, { text: "{}" });
  expect(found.code).toBe(code);
  expect(found.err).toContain(words);
});

test("a body that is no JSON object is refused", async () => {
  const { code, err } = await guard(["try", "--body", "/v1/messages"]);
  expect(code).toBe(1);
  expect(err).toContain("the standard input is no JSON object");
});

test("a body of another path is refused as its path would", async () => {
  const { code, err } = await guard(["try", "b.json", "--body", "/v1/messages"], { text: `{"model":"m"}` });
  expect(code).toBe(1);
  expect(err).toMatch(/b\.json: .*max_tokens|b\.json: .*messages/);
});

test("a file without rules says where they belong", async () => {
  const { code, err } = await guard(["try"], { rules: "quota: { requests_per_day: 7 }" });
  expect(code).toBe(1);
  expect(err).toContain("no rules under guard.rules");
});
