// Batches of a whole gateway, and of two nodes, on PostgreSQL.
import { afterAll, describe } from "bun:test";
import { startPostgres } from "../../store/postgres/server.ts";
import { testClients } from "./clients.suite.ts";
import { testMoney } from "./money.suite.ts";
import { testNodes } from "./nodes.suite.ts";

const server = await startPostgres();
afterAll(() => server.remove());

/** For a store that keeps no master key beside it. */
const masterKey = Buffer.alloc(32, 7).toString("base64");
const env = { POUNDKEY_MASTER_KEY: masterKey };
const openDatabase = async () => ({ store: { address: await server.newDatabase(), masterKey }, env });

describe("clients", () => testClients(openDatabase));
describe("money", () => testMoney(openDatabase));
describe("two nodes", () => testNodes(() => server.newDatabase()));
