// Batches of a whole gateway, and of two, on SQLite.
import { afterAll, describe } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testClients } from "./clients.suite.ts";
import { testMoney } from "./money.suite.ts";
import { testNodes } from "./nodes.suite.ts";

const folder = mkdtempSync(join(tmpdir(), "poundkey-batch-nodes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("clients", () => testClients(async () => ({})));
describe("money", () => testMoney(async () => ({})));
describe("two processes on one file", () => testNodes(async () => `sqlite:${join(folder, "poundkey.db")}`));
