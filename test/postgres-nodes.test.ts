// Many nodes on one PostgreSQL server.
import { afterAll } from "bun:test";
import { runNodesSuite } from "./postgres-nodes.suite.ts";
import { startPostgres } from "./postgres-server.ts";

const server = await startPostgres();
afterAll(() => server.remove());

runNodesSuite("four nodes", async () => server);
