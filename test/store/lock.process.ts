// A separate process for tests: takes a node's lock beside a database repeatedly, and prints what failed.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { NodeLock } from "../../src/store/sqlite/node-lock.ts";

const [path = "", times = "0"] = process.argv.slice(2);
const wrong: string[] = [];

for (let time = 0; time < Number(times); time++) {
  const node = `node_${randomBytes(8).toString("hex")}`;
  const lock = new NodeLock(path, node);
  try {
    lock.acquire();
    await Bun.sleep(0);
    if (!existsSync(`${path}-${node}`)) wrong.push("its file is gone");
  } catch (error) {
    wrong.push(String(error));
  }
  lock.release();
}
process.stdout.write(JSON.stringify(wrong));
