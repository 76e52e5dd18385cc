// The binaries for macOS carry a signature whose digests are right: without one, Apple silicon starts no program.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { signAdHoc } from "../../../src/app/build/mac-sign.ts";
import { IS_LONG } from "../../harness/long.ts";
import { checkSignature } from "./mac-signature.ts";

const PAGE_BYTES = 4096;
const CODE_BYTES = PAGE_BYTES * 3 - 100;
const ROOT = join(import.meta.dir, "..", "..", "..");

/** A program of three pages, the last of them short, whose signature is nothing but its place. */
function makeProgram(): Uint8Array {
  const file = Buffer.alloc(CODE_BYTES + 16, 7);
  const header = [0xfeedfacf, 0, 0, 0, 3, 0, 0, 0];
  const segment = (name: string, at: number, bytes: number) => {
    const words = Buffer.alloc(72);
    for (const [offset, value] of Object.entries({ 0: 0x19, 4: 72, 40: at, 48: bytes }))
      words.writeUInt32LE(value, Number(offset));
    words.write(name, 8);
    return words;
  };
  const signature = [0x1d, 16, CODE_BYTES, 16];
  const words = (numbers: readonly number[]) => Buffer.from(new Uint32Array(numbers).buffer);
  const last = segment("__LINKEDIT", PAGE_BYTES, CODE_BYTES + 16 - PAGE_BYTES);
  file.set(Buffer.concat([words(header), segment("__TEXT", 0, PAGE_BYTES), last, words(signature)]));
  return file;
}

test("a changed byte, a missing signature and another kind of file are found", () => {
  const signed = signAdHoc(makeProgram());
  expect(checkSignature(signed)).toEqual({ isAdHoc: true, pages: 3, wrongPages: [], codeBytes: CODE_BYTES });
  for (const [page, at] of [300, PAGE_BYTES, CODE_BYTES - 1].entries()) {
    const changed = Uint8Array.from(signed);
    changed[at] = 8;
    expect(checkSignature(changed).wrongPages).toEqual([page]);
  }
  const unsigned = Uint8Array.from(signed);
  unsigned[32 + 2 * 72] = 0x1e;
  expect(() => checkSignature(unsigned)).toThrow("isn't signed");
  expect(() => signAdHoc(unsigned)).toThrow("isn't a signed program");
  expect(() => checkSignature(makeProgram())).toThrow("doesn't begin as one");
  expect(() => checkSignature(readFileSync(import.meta.path))).toThrow(
    "isn't a program of 64 bits for macOS",
  );
});

test("a program that is signed again is the same, and its last segment ends with the file", () => {
  const signed = signAdHoc(makeProgram());
  expect(Buffer.compare(signAdHoc(signed), signed)).toBe(0);
  const view = new DataView(signed.buffer);
  const last = 32 + 72;
  const [memory, at, bytes] = [32, 40, 48].map((offset) => Number(view.getBigUint64(last + offset, true)));
  expect([at, Number(at) + Number(bytes)]).toEqual([PAGE_BYTES, signed.length]);
  expect([Number(memory) % 16_384, Number(memory) >= Number(bytes)]).toEqual([0, true]);
});

/** Builds the binary, which may take more than a test's time. */
function build(system: string, into: string): Uint8Array {
  const words = [join(ROOT, "src/app/build/build.ts"), "--all", "--system", system, "--into", into];
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...words], { stdout: "ignore" });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return readFileSync(join(into, "release", `poundkey-${version}-${system}`));
}

const folder = mkdtempSync(join(tmpdir(), "poundkey-mac-"));
afterAll(() => rmSync(folder, { recursive: true }));
const built = (IS_LONG ? ["darwin-arm64", "darwin-x64"] : []).map(
  (system) => [system, checkSignature(build(system, folder))] as const,
);
if (!IS_LONG) console.log("Binaries for macOS are built in the long form alone.");

test("each binary for macOS is signed ad hoc, and each of its pages has its digest", () => {
  for (const [system, { isAdHoc, pages, wrongPages }] of built)
    expect([system, isAdHoc, pages > 20_000, wrongPages]).toEqual([system, true, true, []]);
});
