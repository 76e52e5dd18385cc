// IP addresses and blocks: which are valid, and which addresses a block contains.
import { expect, test } from "bun:test";
import { BlockList, isIP } from "node:net";
import { isAddress, isAddressBlock, isWithin } from "../src/core/address.ts";

const ADDRESSES = [
  ...["0.0.0.0", "255.255.255.255", "10.0.0.1", "::", "::1", "1::", "2001:db8::1", "2001:DB8::A"],
  ...[
    "1:2:3:4:5:6:7:8",
    "1::8",
    "1:2:3:4:5:6:7::",
    "::2:3:4:5:6:7:8",
    "::ffff:10.0.0.1",
    "64:ff9b::192.0.2.33",
  ],
];
const OTHERS = [
  ...["", " ", "10", "10.0.0", "10.0.0.256", "10.0.0.01", "10.0.0.0.1", "10.0.0.-1", "a.b.c.d", "1e1.0.0.0"],
  ...[":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "g::"],
  ...[
    "::10.0.0",
    "10.0.0.1::",
    "::10.0.0.1:2",
    "1:2:3:4:5:6:7:10.0.0.1",
    "fe80::1%eth0",
    "[::1]",
    "10.0.0.1:80",
  ],
];

test.each(ADDRESSES)("%s is an address", (text) => {
  expect([isAddress(text), isIP(text) > 0]).toEqual([true, true]);
});

test.each(OTHERS)("%j is none", (text) => {
  expect(isAddress(text)).toBe(false);
});

test.each([
  ...["10.0.0.0/8", "10.1.2.3/8", "0.0.0.0/0", "::/0", "2001:db8::/32", "::1/128", "10.0.0.1", "::1"],
  ...["::ffff:10.0.0.0/104", "::ffff:0:0/96"],
])("%s is a block", (text) => {
  expect(isAddressBlock(text)).toBe(true);
});

test.each([
  ...[
    "",
    "/",
    "/8",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/08",
    "10.0.0.0/8/8",
    "10.0.0.0/8.0",
  ],
  ...["::/129", "::ffff:0:0/95", "10.0.0/8", "*", "localhost", "10.0.0.*"],
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

test("blocks contain the same addresses as Node's", () => {
  const blocks = ["10.32.0.0/11", "172.16.0.0/12", "192.168.7.0/25", "8.8.8.8/32", "128.0.0.0/1"];
  const theirs = new BlockList();
  for (const block of blocks) {
    const [address = "", bits] = block.split("/");
    theirs.addSubnet(address, Number(bits));
  }
  const edges = [8, 9, 10, 11, 126, 127, 128, 129, 171, 172, 192, 255];
  const rest = [
    [31, 255, 255],
    [32, 0, 0],
    [63, 255, 255],
    [64, 0, 0],
    [8, 8, 8],
    [16, 0, 0],
    [168, 7, 127],
    [168, 7, 128],
  ];
  const given = edges.flatMap((first) => rest.map((others) => [first, ...others].join(".")));
  expect(given.filter((address) => isWithin(blocks, address))).toEqual(
    given.filter((address) => theirs.check(address)),
  );
});
