// A release's digests are signed with the key that the build is given, as the manual verifies them.
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readKeyFile, signFile } from "../../src/app/build/sign.ts";
import { readDocument } from "../docs/documents.ts";

const folder = mkdtempSync(join(tmpdir(), "poundkey-signing-"));
afterAll(() => rmSync(folder, { recursive: true }));
const run = (command: string) => Bun.spawnSync(["sh", "-c", command], { cwd: folder }).exitCode;
/** The lines of the manual's blocks that call this program. */
const lines = (start: string) =>
  readDocument("src/docs/releases.md")
    .split("\n")
    .filter((line) => line.startsWith(start));

test("the manual's own lines make a key, and verify the signature until a byte is another", () => {
  for (const line of lines("openssl genpkey").concat(lines("openssl pkey ")))
    expect([line, run(line)]).toEqual([line, 0]);
  writeFileSync(join(folder, "poundkey-1"), "binary");
  expect(run("sha256sum poundkey-1 > SHA256SUMS")).toBe(0);
  signFile(join(folder, "SHA256SUMS"), readKeyFile(join(folder, "release.key")));
  mkdirSync(join(folder, "public"));
  writeFileSync(join(folder, "public", "catalogue.json"), "{}");
  signFile(join(folder, "public", "catalogue.json"), readKeyFile(join(folder, "release.key")));
  const checks = [...lines("openssl pkeyutl"), ...lines("sha256sum")];
  expect(checks).toHaveLength(3);
  for (const line of checks) expect([line, run(line)]).toEqual([line, 0]);
  writeFileSync(join(folder, "SHA256SUMS"), "other  poundkey-1\n");
  expect(run(checks[0] ?? "")).not.toBe(0);
});

test("a key of another kind is refused", () => {
  expect(run("openssl genpkey -algorithm rsa -pkeyopt rsa_keygen_bits:2048 -out rsa.key")).toBe(0);
  expect(() => readKeyFile(join(folder, "rsa.key"))).toThrow("isn't an Ed25519 key");
});
