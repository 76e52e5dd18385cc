// Signatures of lists and releases agree with OpenSSL's, both ways.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPublicKey } from "../../src/core/text/public-key.ts";
import { findSigner, nameKey, readSigningKey, signBytes } from "../../src/keys/signature.ts";

const folder = mkdtempSync(join(tmpdir(), "poundkey-signature-"));
afterAll(() => rmSync(folder, { recursive: true }));
const run = (command: string) => Bun.spawnSync(["sh", "-c", command], { cwd: folder }).exitCode;
const read = (name: string) => readFileSync(join(folder, name));

function makeKey(name: string) {
  expect(run(`openssl genpkey -algorithm ed25519 -out ${name}.key`)).toBe(0);
  expect(run(`openssl pkey -in ${name}.key -pubout -out ${name}.pub`)).toBe(0);
  const key = readSigningKey(read(`${name}.key`));
  const found = readPublicKey(read(`${name}.pub`).toString());
  if (!("key" in found)) throw new Error(found.wrong);
  return { key, publicKey: found.key };
}

const own = makeKey("own");
const other = makeKey("other");
const BYTES = new Uint8Array([0, 255, 10, 123, 195, 40]);

test("OpenSSL verifies our signatures, and we its, over bytes that are no text", () => {
  writeFileSync(join(folder, "list"), BYTES);
  writeFileSync(join(folder, "list.sig"), signBytes(BYTES, own.key));
  const verify = "openssl pkeyutl -verify -pubin -inkey own.pub -rawin -in list -sigfile list.sig";
  expect(run(verify)).toBe(0);
  expect(run("openssl pkeyutl -sign -inkey own.key -rawin -in list -out theirs.sig")).toBe(0);
  expect(findSigner(BYTES, read("theirs.sig"), [own.publicKey])).toBe(own.publicKey);
  writeFileSync(join(folder, "list"), "another");
  expect(run(verify)).not.toBe(0);
});

test("of two keys that are rotated, the one that has signed is found", () => {
  const signature = signBytes(BYTES, other.key);
  expect(findSigner(BYTES, signature, [own.publicKey])).toBeNull();
  expect(findSigner(BYTES, signature, [own.publicKey, other.publicKey])).toBe(other.publicKey);
});

test("63 and 65 bytes, and the signature of other bytes, are nobody's", () => {
  const signature = signBytes(BYTES, own.key);
  const wrong = [signature.subarray(1), Buffer.concat([signature, Buffer.of(0)]), new Uint8Array(0)];
  for (const one of [...wrong, signBytes(new Uint8Array(1), own.key), Buffer.alloc(64)])
    expect(findSigner(BYTES, one, [own.publicKey])).toBeNull();
});

test("a public key is the same in PEM and in base64, and has digits of its own", () => {
  expect(readPublicKey(`\n${own.publicKey} \n`)).toEqual({ key: own.publicKey });
  expect(nameKey(own.publicKey)).toMatch(/^[0-9a-f]{8}$/);
  expect(nameKey(own.publicKey)).not.toBe(nameKey(other.publicKey));
});

test("what is no public key is refused, and nothing of a private one is shown", () => {
  expect(run("openssl genpkey -algorithm rsa -pkeyopt rsa_keygen_bits:2048 -out rsa.key")).toBe(0);
  expect(run("openssl pkey -in rsa.key -pubout -out rsa.pub")).toBe(0);
  expect(
    run("openssl genpkey -algorithm x25519 -out x.key && openssl pkey -in x.key -pubout -out x.pub"),
  ).toBe(0);
  const secret = read("own.key").toString();
  const rows: [string, string][] = [
    [secret, "is a private key"],
    [read("rsa.pub").toString(), "isn't an Ed25519 key"],
    [read("x.pub").toString(), "isn't an Ed25519 key"],
    ["", "is no public key"],
    [own.publicKey.slice(1), "is no public key"],
    [`${own.publicKey}${own.publicKey}`, "is no public key"],
  ];
  for (const [text, why] of rows) {
    const found = readPublicKey(text);
    expect("wrong" in found ? found.wrong : "").toStartWith(why);
    expect(JSON.stringify(found)).not.toContain(secret.split("\n")[1]);
  }
  expect(() => readSigningKey(read("rsa.key"))).toThrow("isn't an Ed25519 key");
  expect(() => readSigningKey(read("own.pub"))).toThrow("is no private key");
});
