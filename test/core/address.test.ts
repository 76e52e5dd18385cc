// IP addresses and blocks: which are valid, and which addresses a block contains.
import { expect, test } from "bun:test";
import { isIP } from "node:net";
import { isAddress, isAddressBlock, isWithin } from "../../src/core/world/address.ts";

const ADDRESSES = [
  "0.0.0.0",
  "255.255.255.255",
  "10.0.0.1",
  "::",
  "::1",
  "1::",
  "2001:db8::1",
  "2001:DB8::A",
  "1:2:3:4:5:6:7:8",
  "1::8",
  "1:2:3:4:5:6:7::",
  "::2:3:4:5:6:7:8",
  "::ffff:10.0.0.1",
  "64:ff9b::192.0.2.33",
];
const OTHERS = [
  "",
  " ",
  "10",
  "10.0.0",
  "10.0.0.256",
  "10.0.0.01",
  "10.0.0.0.1",
  "10.0.0.-1",
  "a.b.c.d",
  "1e1.0.0.0",
  ":",
  ":::",
  "1::2::3",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "1:2:3:4:5:6:7:8::",
  "12345::",
  "g::",
  "::10.0.0",
  "10.0.0.1::",
  "::10.0.0.1:2",
  "1:2:3:4:5:6:7:10.0.0.1",
  "fe80::1%eth0",
  "[::1]",
  "10.0.0.1:80",
];

test.each(ADDRESSES)("%s is an address", (text) => {
  expect([isAddress(text), isIP(text) > 0]).toEqual([true, true]);
});

test.each(OTHERS)("%j is none", (text) => {
  expect(isAddress(text)).toBe(false);
});

test.each([
  "10.0.0.0/8",
  "10.1.2.3/8",
  "0.0.0.0/0",
  "::/0",
  "2001:db8::/32",
  "::1/128",
  "10.0.0.1",
  "::1",
  "::ffff:10.0.0.0/104",
  "::ffff:0:0/96",
])("%s is a block", (text) => {
  expect(isAddressBlock(text)).toBe(true);
});

test.each([
  "",
  "/",
  "/8",
  "10.0.0.0/",
  "10.0.0.0/33",
  "10.0.0.0/-1",
  "10.0.0.0/08",
  "10.0.0.0/8/8",
  "10.0.0.0/8.0",
  "::/129",
  "::ffff:0:0/95",
  "10.0.0/8",
  "*",
  "localhost",
  "10.0.0.*",
])("%j is no block", (text) => {
  expect(isAddressBlock(text)).toBe(false);
});

test.each<[block: string, inside: readonly string[], outside: readonly string[]]>([
  [
    "10.0.0.0/8",
    ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3", "::ffff:a01:203"],
    ["9.255.255.255", "11.0.0.0"],
  ],
  ["10.1.2.3/8", ["10.200.0.1"], ["11.1.2.3"]],
  ["192.0.2.4/30", ["192.0.2.4", "192.0.2.7"], ["192.0.2.3", "192.0.2.8"]],
  ["203.0.113.7", ["203.0.113.7"], ["203.0.113.6", "::203.0.113.7", ""]],
  ["0.0.0.0/0", ["1.2.3.4", "::ffff:1.2.3.4"], ["::1", "::", "x"]],
  ["::/0", ["::1", "2001:db8::1"], ["1.2.3.4", "::ffff:1.2.3.4"]],
  ["2001:db8:8000::/33", ["2001:db8:8000::1", "2001:DB8:FFFF::"], ["2001:db8:7fff::1", "2001:db9:8000::"]],
  ["::ffff:10.0.0.0/104", ["10.1.2.3"], ["11.1.2.3", "::10.1.2.3"]],
  ["::1", ["::1", "0:0:0:0:0:0:0:1"], ["::2", "127.0.0.1"]],
])("%s contains its addresses only", (block, inside, outside) => {
  expect(inside.filter((address) => !isWithin([block], address))).toEqual([]);
  expect(outside.filter((address) => isWithin([block], address))).toEqual([]);
});

/** An address as its number, and in one of its spellings. */
interface Spelled {
  readonly bits: 32 | 128;
  readonly value: bigint;
  readonly text: string;
}

const MAPPED = 0xffffn << 32n;

/** Bytes of few values, so that blocks often contain addresses. */
function makeAddress(draw: (count: number) => number): Spelled {
  const bytes = [0, 1, 127, 128, 255];
  const drawNumber = (count: number) =>
    Array.from({ length: count }, () => bytes[draw(bytes.length)] ?? 0).reduce(
      (all, one) => (all << 8n) | BigInt(one),
      0n,
    );
  const short = drawNumber(4);
  const dotted = [24n, 16n, 8n, 0n].map((shift) => (short >> shift) & 255n).join(".");
  const long = draw(2) ? drawNumber(16) : drawNumber(1);
  const groups = (value: bigint) =>
    Array.from({ length: 8 }, (_, at) => ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16)).join(":");
  const spellings: readonly Spelled[] = [
    { bits: 32, value: short, text: dotted },
    { bits: 32, value: short, text: `::ffff:${dotted}` },
    { bits: 32, value: short, text: groups(MAPPED | short).toUpperCase() },
    { bits: 128, value: long, text: groups(long) },
    { bits: 128, value: long, text: groups(long).replace(/(^|:)0(:0)+(:|$)/, "::") },
  ];
  return spellings[draw(spellings.length)] ?? { bits: 32, value: short, text: dotted };
}

test("a block contains the addresses with its leading bits", () => {
  let state = 1;
  const draw = (count: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % count;
  };
  const seen = { inside: 0, outside: 0 };
  for (let round = 0; round < 20_000; round++) {
    const block = makeAddress(draw);
    const address = makeAddress(draw);
    const shared = draw(block.bits + 1);
    const length = block.text.includes(":") && block.bits === 32 ? 96 + shared : shared;
    const isInside =
      block.bits === address.bits && (block.value ^ address.value) >> BigInt(block.bits - shared) === 0n;
    seen[isInside ? "inside" : "outside"]++;
    const text = `${block.text}/${length}`;
    expect(isWithin([text], address.text), `${address.text} in ${text}`).toBe(isInside);
  }
  expect(Math.min(seen.inside, seen.outside)).toBeGreaterThan(1000);
});
