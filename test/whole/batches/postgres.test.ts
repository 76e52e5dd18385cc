// Batches of two nodes on PostgreSQL; in the long form also those of one, which the suite of stores and SQLite prove otherwise.
import { afterAll, describe } from "bun:test";
import { IS_LONG } from "../../harness/long.ts";
import { useDatabases } from "../../store/postgres/databases.ts";
import { testClients } from "./clients.suite.ts";
import { testMoney } from "./money.suite.ts";
import { testNodes } from "./nodes.suite.ts";

const server = await useDatabases();
afterAll(() => server.remove());

const openDatabase = async () => ({ store: await server.newStore() });

describe.skipIf(!IS_LONG)("clients", () => testClients(openDatabase));
describe.skipIf(!IS_LONG)("money", () => testMoney(openDatabase));
describe("two nodes", () => testNodes(() => server.newStore()));
