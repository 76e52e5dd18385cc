// Batches of a whole gateway, and of two nodes, on PostgreSQL.
import { afterAll, describe } from "bun:test";
import { startPostgres } from "../../store/postgres/server.ts";
import { testClients } from "./clients.suite.ts";
import { testMoney } from "./money.suite.ts";
import { testNodes } from "./nodes.suite.ts";

const server = await startPostgres();
afterAll(() => server.remove());

const openDatabase = async () => ({ store: await server.newDatabase() });

describe("clients", () => testClients(openDatabase));
describe("money", () => testMoney(openDatabase));
describe("two nodes", () => testNodes(() => server.newDatabase()));
