// Filters, paths and changes of what a directory sends, compared with slow and plain readings of the same.
import { describe, expect, test } from "bun:test";
import { type Condition, parseFilter } from "../../../src/people/directory/filter.ts";
import { planGroup, readGroup } from "../../../src/people/directory/group.ts";
import { readOperations } from "../../../src/people/directory/operations.ts";
import { parsePath } from "../../../src/people/directory/path.ts";
import { DirectoryRefusal } from "../../../src/people/directory/refusal.ts";
import { applyUserStep, readUser } from "../../../src/people/directory/user.ts";
import { Dice } from "../../sim/dice.ts";
import { readFilterSlowly } from "./reference.ts";

function makeDice(seed: number) {
  const dice = new Dice(seed);
  const roll = (sides: number): number => dice.int(0, sides - 1);
  const pick = <T>(list: readonly T[]): T => dice.pick(list);
  return { roll, pick };
}

function catchSync(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

const refusalOf = (run: () => unknown) => {
  const thrown = catchSync(run);
  return thrown instanceof DirectoryRefusal ? thrown.reason : thrown;
};

describe("filters", () => {
  const NAMES = [
    "userName",
    "USERNAME",
    "externalId",
    "id",
    "displayName",
    "emails.value",
    "active",
    "members",
  ];
  const VALUES = ['"a b"', '"a\\"b"', '"\\\\"', '"and"', "true", "FALSE", '"True"', '"]"', '"ü"'];
  const toPair = (one: Condition) => {
    if (one.by === "email") return ["emails.value", one.text];
    return one.by === "active" ? ["active", one.isActive] : [one.by.toLowerCase(), one.text];
  };

  test("mean the same as a plain reading of them", () => {
    const { pick, roll } = makeDice(7);
    const urn = "urn:ietf:params:scim:schemas:core:2.0:User:";
    let taken = 0;
    for (let count = 0; count < 3000; count++) {
      const compare = () =>
        [pick(NAMES), pick(["eq", "EQ", "eq", "ne"]), pick(VALUES)].join(pick([" ", "  ", "\t"]));
      const text = [compare(), ...(roll(3) === 0 ? [pick(["and", "AND", "or"]), compare()] : [])].join(" ");
      const slow = readFilterSlowly(text);
      const isKind = (slow ?? []).every(([name, value]) =>
        name === "active" ? /^(true|false)$/i.test(String(value)) : typeof value === "string",
      );
      if (slow === null || !isKind) {
        expect([text, refusalOf(() => parseFilter(text))]).toEqual([text, "invalidFilter"]);
        continue;
      }
      taken++;
      const plain = slow.map(([name, value]) =>
        name === "active" ? [name, String(value).toLowerCase() === "true"] : [name, value],
      );
      expect([text, parseFilter(text).map(toPair)]).toEqual([text, plain]);
      expect(parseFilter(`${urn}${text}`)).toEqual(parseFilter(text));
    }
    expect(taken).toBeGreaterThan(500);
  });

  test("say where they are broken", () => {
    const explain = (text: string) => catchSync(() => parseFilter(text));
    expect(explain('userName ne "a"')).toMatchObject({ message: "expected 'eq' at character 10" });
    expect(explain('userName eq "a')).toMatchObject({ reason: "invalidFilter" });
    for (const text of [
      "",
      "userName",
      'password eq "a"',
      '(userName eq "a")',
      'emails[type eq "work"] eq "a"',
    ])
      expect([text, refusalOf(() => parseFilter(text))]).toEqual([text, "invalidFilter"]);
    expect(parseFilter('emails[type eq "work"].value eq "a@b"')).toEqual([
      { by: "email", text: "a@b", type: "work" },
    ]);
  });

  test("of any bytes are read or refused in their form, and never otherwise", () => {
    const { roll } = makeDice(11);
    const alphabet = 'ae.[]"\\ \t:$_-u\u0000ü(){}';
    for (let count = 0; count < 5000; count++) {
      const text = Array.from({ length: roll(30) }, () => alphabet[roll(alphabet.length)]).join("");
      for (const read of [parseFilter, parsePath]) {
        const thrown = catchSync(() => read(text));
        expect(thrown === undefined || thrown instanceof DirectoryRefusal).toBe(true);
      }
    }
  });
});

test("paths name an attribute, a part and elements, with or without a URN", () => {
  const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
  expect(parsePath("Name.GivenName")).toEqual({ attribute: "name", part: "givenname", matches: null });
  expect(parsePath(`${enterprise}:department`)).toMatchObject({
    attribute: "enterprise",
    part: "department",
  });
  expect(parsePath("urn:ietf:params:scim:schemas:core:2.0:User:userName")).toMatchObject({
    attribute: "username",
  });
  expect(parsePath('emails[type eq "work"].value')).toEqual({
    attribute: "emails",
    part: "value",
    matches: [{ part: "type", value: "work" }],
  });
  for (const text of ["", "a[", 'a[b eq "c"', "a b", 'a[b ne "c"]', 'a[b eq "c"].', "[a]", "1a"])
    expect([text, refusalOf(() => parsePath(text))]).toEqual([text, "invalidPath"]);
});

describe("changes of a user", () => {
  const ann = readUser({ userName: "ann", emails: [{ value: "a@b", type: "work" }] });
  const change = (...Operations: readonly object[]) =>
    readOperations({ Operations }).reduce(applyUserStep, ann);

  test.each([
    [{ op: "frob", path: "active", value: true }, "invalidSyntax"],
    [{ op: "remove" }, "noTarget"],
    [{ op: "replace", value: "x" }, "invalidValue"],
    [{ op: "replace", path: "a[", value: 1 }, "invalidPath"],
    [{ op: "replace", path: "active", value: "maybe" }, "invalidValue"],
    [{ op: "replace", path: "displayName", value: 7 }, "invalidValue"],
    [{ op: "replace", path: "displayName", value: "x".repeat(257) }, "invalidValue"],
    [{ op: "replace", path: "userName", value: "" }, "invalidValue"],
    [{ op: "remove", path: "userName" }, "mutability"],
    [{ op: "Remove", path: "active" }, "mutability"],
    [
      { op: "add", path: "emails", value: Array.from({ length: 21 }, (_, at) => ({ value: `${at}@b` })) },
      "invalidValue",
    ],
  ])("%p is refused as %s", (operation, reason) => {
    expect(refusalOf(() => change(operation))).toBe(reason);
  });

  test("unknown attributes are ignored, those of every object too, and nothing else changes", () => {
    const odd = JSON.parse(
      '[{"op":"add","path":"__proto__.polluted","value":"x"},{"op":"replace","value":{"__proto__":{"polluted":1},"constructor.prototype.polluted":"x","constructor":{"a":1},"roles":[1],"password":"p"}}]',
    );
    expect(change(...odd)).toEqual(ann);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("an element that no filter matches is made, and one primary address is the only one", () => {
    expect(change({ op: "Add", path: 'emails[type eq "home"].value', value: "h@b" }).emails).toHaveLength(2);
    const moved = change(
      { op: "add", path: "emails", value: { value: "p@b", primary: "True" } },
      { op: "replace", path: 'emails[type eq "work"].primary', value: true },
    );
    expect(moved.emails.map(({ value, isPrimary }) => [value, isPrimary])).toEqual([
      ["a@b", true],
      ["p@b", false],
    ]);
    expect(change({ op: "remove", path: 'emails[type eq "work"]' }).emails).toEqual([]);
  });

  test("any order of changes to different attributes gives the same user", () => {
    const { roll } = makeDice(3);
    const steps = [
      { op: "replace", path: "displayName", value: "Ann A" },
      { op: "add", value: { "name.givenName": "Ann", externalId: "x" } },
      { op: "Replace", path: "active", value: "False" },
      { op: "remove", path: "emails" },
    ];
    const whole = change(...steps);
    for (let count = 0; count < 50; count++) {
      const mixed = steps.map((step) => ({ step, at: roll(1000) })).sort((one, other) => one.at - other.at);
      expect(change(...mixed.map(({ step }) => step))).toEqual(whole);
    }
  });
});

test("sequences of changes to a group's members give what a plain list would", () => {
  const { roll, pick } = makeDice(5);
  const ids = ["u1", "u2", "u3", "u4", "u5"];
  for (let count = 0; count < 2000; count++) {
    const before = ids.filter(() => roll(2) === 0);
    let model = [...before];
    const some = () => ids.filter(() => roll(3) === 0);
    const Operations = Array.from({ length: 1 + roll(5) }, () => {
      const named = some();
      const value = named.map((one) => ({ $ref: null, value: one }));
      switch (roll(5)) {
        case 0:
          model = [...new Set([...model, ...named])];
          return { op: pick(["add", "Add"]), path: "members", value };
        case 1:
          model = named;
          return { op: "replace", path: "members", value };
        case 2:
          model = model.filter((one) => !named.includes(one));
          return { op: "Remove", path: "members", value };
        case 3:
          model = [];
          return { op: "remove", path: "members" };
        default: {
          const one = pick(ids);
          model = model.filter((other) => other !== one);
          return { op: "remove", path: `members[value eq "${one}"]` };
        }
      }
    });
    const { members } = planGroup(readOperations({ Operations }));
    const kept = members.isWhole ? [] : before.filter((one) => members.users.get(one) !== false);
    const after = new Set([...kept, ...[...members.users].filter(([, isIn]) => isIn).map(([id]) => id)]);
    expect([Operations, [...after].sort()]).toEqual([Operations, model.sort()]);
  }
});

test("a group's wrong changes are refused, and a put one has what it names alone", () => {
  const plan = (...Operations: readonly object[]) => planGroup(readOperations({ Operations }));
  expect(refusalOf(() => plan({ op: "remove", path: "displayName" }))).toBe("mutability");
  expect(refusalOf(() => plan({ op: "add", path: "members", value: [7] }))).toBe("invalidValue");
  expect(refusalOf(() => plan({ op: "remove", path: 'members[display eq "x"]' }))).toBe("invalidPath");
  expect(refusalOf(() => readGroup({ members: [] }))).toBe("invalidValue");
  const many = Array.from({ length: 1001 }, () => ({ op: "remove", path: "members" }));
  expect(refusalOf(() => plan(...many))).toBe("tooMany");
  expect(readGroup({ displayName: "A" }).members).toEqual({ isWhole: true, users: new Map() });
});
