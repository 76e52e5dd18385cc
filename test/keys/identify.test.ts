// A client's address is read only if its key is limited to some, and before a connection may close meanwhile.
import { expect, test } from "bun:test";
import type { ProvenKey } from "../../src/core/keys/key.ts";
import { identifyCaller } from "../../src/http/serve/auth.ts";
import { SecretShapes } from "../../src/keys/secret-shape.ts";
import { makeKey } from "../harness/samples.ts";

function askWith(proven: ProvenKey | Promise<ProvenKey>) {
  const count = { reads: 0 };
  const readAddress = () => {
    count.reads++;
    return "192.0.2.7";
  };
  const secretShapes = new SecretShapes([]);
  const headers = { authorization: "Bearer sk-any" };
  const request = new Request("http://gateway.example/v1/models", { headers });
  const caller = identifyCaller(
    { authenticate: () => proven, readAddress, secretShapes },
    { request, server: null },
  );
  return { count, caller };
}

const plain: ProvenKey = { key: makeKey("key_a"), rotation: 0 };
const limited: ProvenKey = { key: makeKey("key_a", { allowedAddresses: ["192.0.2.0/24"] }), rotation: 0 };

test("a remembered key without addresses needs none, until its admission asks", async () => {
  const { count, caller } = askWith(plain);
  const { proof } = await caller;
  expect(count.reads).toBe(0);
  expect([proof?.address, proof?.address, count.reads]).toEqual(["192.0.2.7", "192.0.2.7", 1]);
});

test("a limited key is checked at once", async () => {
  const { count, caller } = askWith(limited);
  expect([(await caller).key.id, count.reads]).toEqual(["key_a", 1]);
});

test("a key that is looked up has its address read before", async () => {
  const { count, caller } = askWith(Promise.resolve(plain));
  expect(count.reads).toBe(1);
  expect([(await caller).proof?.address, count.reads]).toEqual(["192.0.2.7", 1]);
});
