// Every command, by what it needs of the places.
import { EXIT } from "../../src/app/terminal.ts";
import { PLAIN_THINGS } from "../../src/core/things/plain-things.ts";

/** Without a store, each of these names the place where there is none. */
export const ON_STORE: readonly (readonly string[])[] = [
  ...["keys", "accounts", "tokens", "members", "batches", "files"].map((name) => [name, "list"]),
  ...PLAIN_THINGS.map(({ plural }) => [plural, "list"]),
  ...["requests", "refusals", "usage", "providers"].map((name) => [name]),
  ["statement", "--account", "any"],
  ["export", "requests"],
  ["ledger", "verify"],
  ["audit", "verify"],
  ["backup", "copy.db"],
  ["migrate"],
  ["master-key", "rotate", "--finish"],
];

/** They open no store here, but would refuse the configuration of the working folder. */
export const WITHOUT_STORE: readonly (readonly [args: readonly string[], code: number])[] = [
  [["check"], EXIT.done],
  [["models"], EXIT.done],
  [["route", "hello"], EXIT.done],
  [["catalogue", "diff", "missing.json"], EXIT.failed],
  [["guard", "detectors"], EXIT.done],
  [["guard", "try", "missing.txt"], EXIT.failed],
  [["health", "--url", "http://127.0.0.1:9"], EXIT.failed],
];

/** They make a store, or need more than a folder (`serve`). Tests of places and of the package run them. */
export const ELSEWHERE = ["serve", "admin", "apply", "import", "restore", "tools"];
/** They need neither configuration nor store. */
export const APART = [
  "samples",
  "login",
  "logout",
  "token",
  "completion",
  "simulate",
  "setup",
  "demo",
  "docs",
];
