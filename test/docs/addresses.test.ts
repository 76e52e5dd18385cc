// The gateway's address in the manual's examples is one literal, which readers see as their own gateway's.
import { expect, test } from "bun:test";
import { EXAMPLE_ADDRESS, fillAddress } from "../../src/docs/site/address.ts";
import { CHAPTER_NAMES } from "../../src/docs/site/contents.ts";
import { readDocument } from "./documents.ts";

/** Addresses that aren't the reader's: those of a machine itself, as its proxy or its own commands ask it. */
const OWN_MACHINE = [
  "refuses: base_url: http://127.0.0.1:8080/v1",
  "fifty-people: poundkey health --url http://127.0.0.1:8080",
  "network: location /llm/ { proxy_pass http://127.0.0.1:8080; proxy_buffering off; proxy_set_header Host $http_host; }    # passes it on",
  "network: location /llm/ { proxy_pass http://127.0.0.1:8080/; proxy_buffering off; proxy_set_header Host $http_host; }   # strips it",
];
/** Names by which examples could mean the gateway itself. */
const GATEWAY =
  /https?:\/\/((127\.0\.0\.1|localhost|0\.0\.0\.0|host)(:8080)(?!\d)|(gateway|llm|poundkey)\.[a-z.]*example(\.com)?)/g;

const lines = CHAPTER_NAMES.flatMap((name) =>
  readDocument(`src/docs/${name}.md`)
    .split("\n")
    .map((line) => `${name}: ${line.trim()}`),
);

test("examples have no other address of a gateway", () => {
  const others = lines.filter((line) =>
    [...line.matchAll(GATEWAY)].some(([address]) => address !== EXAMPLE_ADDRESS),
  );
  // The form of a field is described by the words of its refusal, and the models of a company are no gateway.
  const named = others.filter((line) => !/an address like https:|^network: .*llm\.corp\.example/.test(line));
  expect(named).toEqual(OWN_MACHINE);
  expect(lines.filter((line) => line.includes(EXAMPLE_ADDRESS)).length).toBeGreaterThan(70);
  // Nothing is filled in for variables, and nobody has set them.
  expect(lines.filter((line) => /\$(GATEWAY|KEY|ADDRESS|HOST)\b/.test(line))).toEqual([]);
});

test("an address is filled in without its characters that mean something in a page", () => {
  expect(fillAddress(`curl ${EXAMPLE_ADDRESS}/v1`, "http://[::1]:8080/llm")).toBe(
    "curl http://[::1]:8080/llm/v1",
  );
  expect(fillAddress(EXAMPLE_ADDRESS, 'https://a/"><b>$&')).toBe("https://a/%22%3E%3Cb%3E%24%26");
});
