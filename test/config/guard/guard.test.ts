// The section `guard` of the configuration.
import { expect, test } from "bun:test";
import { loadText } from "../../harness/settings.ts";

const PROVIDERS = "providers: { OpenAI: { keys: [sk-1] } }";
const read = (text: string) => loadText(`${PROVIDERS}\n${text}`);

function findErrors(text: string): readonly string[] {
  const loaded = read(text);
  return loaded.ok ? [] : loaded.errors.map(({ line, field, message }) => `${line} ${field}: ${message}`);
}

function readGuard(text: string) {
  const loaded = read(text);
  return loaded.ok ? loaded.settings.guard : loaded.errors;
}

test("a rule has its defaults, and its groups are taken apart", () => {
  const guard = readGuard(`
guard:
  rules: [{ name: one, detect: [contact, "!phone", card, "words:people"] }]
  words: { people: ["Ada Example"], lines: "Kestrel GmbH\\n\\n  Project X  \\n" }
  allow: ["*@corp.example"]
`);
  expect(guard).toMatchObject({
    rules: [
      {
        name: "one",
        detect: ["email", "card", "words:people"],
        action: "report",
        at: ["request"],
        keys: ["*"],
        accounts: ["*"],
        models: ["*"],
        providers: ["*"],
        refusesAttachments: false,
      },
    ],
    words: new Map([
      ["people", ["Ada Example"]],
      ["lines", ["Kestrel GmbH", "Project X"]],
    ]),
    allow: ["*@corp.example"],
  });
});

test("without a rule there is no guard, and its version changes with rules, words and allowed values", () => {
  expect(readGuard("guard: { constraints: report, words: { people: [Ada] } }")).toBeUndefined();
  const rules = "rules: [{ name: one, detect: [email] }]";
  const versions = [
    rules,
    `${rules}, words: { people: [Ada] }`,
    `${rules}, words: { people: [Eve] }`,
    `${rules}, allow: [a@b.de]`,
    "rules: [{ name: one, detect: [card] }]",
  ].map((text) => {
    const guard = readGuard(`guard: { ${text} }`);
    return guard && "version" in guard ? guard.version : null;
  });
  expect(new Set(versions).size).toBe(versions.length);
  expect(versions).not.toContain(null);
});

test("mistakes in rules are named with their place", () => {
  const text = `
guard:
  rules:
    - { name: one, detect: [email] }
    - { name: one, detect: ["words:nope", emial] }
    - { name: hook, detect: ["!email"] }
    - { name: none, detect: [email, "!contact"] }
hooks: [{ name: hook, url: "http://x" }]
`;
  expect(findErrors(text)).toEqual([
    "6 guard.rules[1].name: another rule has this name",
    "6 guard.rules[1].detect[0]: no list of guard.words is called 'nope'",
    "6 guard.rules[1].detect[1]: no detector or group is called 'emial'; did you mean email?",
    "7 guard.rules[2].name: a hook has this name",
    "7 guard.rules[2].detect: only takes away: name what it detects",
    "8 guard.rules[3].detect: takes away all that it names",
  ]);
  expect(findErrors("guard: { rules: [{ name: one, detect: [], action: hide }] }")).toEqual([
    "2 guard.rules[0].detect: expected a list of 1 to 100 detectors and groups, got an empty list",
    '2 guard.rules[0].action: expected one of "report", "swap", "mask", "refuse", got "hide"',
  ]);
  const many = Array.from({ length: 21 }, (_, at) => `{ name: r${at}, detect: [email] }`).join(", ");
  expect(findErrors(`guard: { rules: [${many}] }`)).toEqual([
    "2 guard.rules: expected a list of at most 20 rules, each { name, detect }, got a list",
  ]);
});

test("all actions are taken, and swap only at requests", () => {
  const rules = (action: string, at: string) =>
    `guard:\n  rules:\n    - name: one\n      detect: [email]\n      action: ${action}\n      at: ${at}`;
  for (const action of ["report", "mask", "refuse"])
    expect(readGuard(rules(action, "[request, answer]"))).toMatchObject({ rules: [{ action }] });
  expect(readGuard(rules("swap", "[request]"))).toMatchObject({
    rules: [{ action: "swap", at: ["request"] }],
  });
  expect(readGuard("guard: { rules: [{ name: one, detect: [email], action: swap }] }")).toMatchObject({
    rules: [{ action: "swap", at: ["request"] }],
  });
  const swap = 'expected only "request" with "action: swap"; mask, refuse and report work at answers too';
  expect(findErrors(rules("swap", "[request, answer]"))).toEqual([`7 guard.rules[0].at[1]: ${swap}`]);
  expect(findErrors(rules("swap", "[answer]"))).toEqual([`7 guard.rules[0].at[0]: ${swap}`]);
});

test("no error shows a word", () => {
  const wrong = [
    "guard: { words: { Kestrel GmbH: [Kestrel] } }",
    "guard: { words: { people: [4532015112830366] } }",
    "guard: { words: { people: Kestrel, email: [Kestrel] } }",
    "guard: { words: { people: { Kestrel: 1 } } }",
    `guard: { words: { people: [Ada, "Kestrel${"l".repeat(100)}"] } }`,
    'guard: { words: { people: "Ada\\nKe" } }',
    "guard: { words: [Kestrel] }",
    `guard: { allow: ["Kestrel${"l".repeat(300)}"] }`,
  ];
  for (const text of wrong) {
    const errors = findErrors(text);
    expect(errors, text).not.toEqual([]);
    expect(errors.join("\n"), text).not.toMatch(/Kestrel|4532/);
  }
  expect(findErrors('guard:\n  words:\n    people: "Ada\\nKe"')).toEqual([
    "4 guard.words.people: line 2 of the text: expected a word of 3 to 100 characters on one line",
  ]);
});

test("there are at most 50 lists and 10,000 words in all", () => {
  const lists = (count: number) => Array.from({ length: count }, (_, at) => `l${at}: [abc]`).join(", ");
  expect(findErrors(`guard: { words: { ${lists(50)} } }`)).toEqual([]);
  expect(findErrors(`guard: { words: { ${lists(51)} } }`)).toEqual([
    "2 guard.words.l50: expected at most 50 lists",
  ]);
  const lines = (count: number) => `"${Array.from({ length: count }, (_, at) => `word ${at}`).join("\\n")}"`;
  expect(findErrors(`guard: { words: { one: ${lines(6000)}, two: ${lines(4000)} } }`)).toEqual([]);
  expect(findErrors(`guard: { words: { one: ${lines(6000)}, two: ${lines(4001)} } }`)).toEqual([
    "2 guard.words.two: expected at most 10000 words in all lists",
  ]);
});

test("a file may hold the words", () => {
  const loaded = loadText(
    `${PROVIDERS}
guard: { rules: [{ name: one, detect: ["words:all"] }], words: { all: "\${file:/words.txt}" } }`,
    { files: { "/words.txt": "Kestrel GmbH\r\nProject X\n" } },
  );
  expect(loaded.ok && loaded.settings.guard?.words.get("all")).toEqual(["Kestrel GmbH", "Project X"]);
});
