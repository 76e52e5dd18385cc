// The binaries for macOS carry a signature whose digests are right: without one, Apple silicon starts no program.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { IS_LONG } from "../../harness/long.ts";
import { checkSignature } from "./mac-signature.ts";

const TEST_MS = 60_000;
const PAGE_BYTES = 4096;
const PAGES = 3;
const ROOT = join(import.meta.dir, "..", "..", "..");

/** A program of three pages, the last of them short, with the signature behind it. */
function makeProgram(): Uint8Array {
  const codeBytes = PAGE_BYTES * PAGES - 100;
  const file = Buffer.alloc(codeBytes + 400, 7);
  const little = [0xfeedfacf, 0, 0, 0, 2, 0, 0, 0, 0x19, 8, 0x1d, 16, codeBytes, 400];
  for (const [index, value] of little.entries()) file.writeUInt32LE(value, index * 4);
  const at = codeBytes + 20;
  const big = [0xfade0cc0, 400, 1, 0, 20, 0xfade0c02, 200, 0x20400, 0x20002, 100, 0, 0, PAGES, codeBytes];
  for (const [index, value] of big.entries()) file.writeUInt32BE(value, codeBytes + index * 4);
  for (const [offset, value] of Object.entries({ 36: 32, 37: 2, 38: 0, 39: 12 }))
    file.writeUInt8(value, at + Number(offset));
  for (let page = 0; page < PAGES; page++) {
    const bytes = file.subarray(page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, codeBytes));
    file.set(new Bun.CryptoHasher("sha256").update(bytes).digest(), at + 100 + page * 32);
  }
  return file;
}

test("a changed byte, a missing signature and another kind of file are found", () => {
  const program = makeProgram();
  expect(checkSignature(program)).toMatchObject({ isAdHoc: true, pages: PAGES, wrongPages: [] });
  for (const [page, at] of [300, PAGE_BYTES, PAGE_BYTES * 3 - 101].entries()) {
    const changed = makeProgram();
    changed[at] = 8;
    expect(checkSignature(changed).wrongPages).toEqual([page]);
  }
  const unsigned = makeProgram();
  unsigned[40] = 0x1e;
  expect(() => checkSignature(unsigned)).toThrow("isn't signed");
  expect(() => checkSignature(readFileSync(import.meta.path))).toThrow(
    "isn't a program of 64 bits for macOS",
  );
});

describe.skipIf(!IS_LONG)("built here", () => {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-mac-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(["darwin-arm64", "darwin-x64"])(
    "%s is signed ad hoc, and each page has its digest",
    (system) => {
      const build = ["src/app/build/build.ts", "--all", "--system", system, "--into", folder];
      const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...build], {
        cwd: ROOT,
        stdout: "ignore",
      });
      expect([exitCode, exitCode === 0 ? "" : stderr.toString()]).toEqual([0, ""]);
      const binary = readFileSync(join(folder, "release", `poundkey-${version}-${system}`));
      const { isAdHoc, pages, wrongPages } = checkSignature(binary);
      expect([isAdHoc, wrongPages]).toEqual([true, []]);
      expect(pages).toBeGreaterThan(20_000);
    },
    TEST_MS,
  );
});
