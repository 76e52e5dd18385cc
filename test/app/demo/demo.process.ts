// A demo in a process of its own, with the month's first half day: its folder below the one given, its address on standard output.
import { startDemo } from "../../../src/app/demo/demo.ts";
import { makeDemoFolder } from "../../../src/app/demo/demo-folder.ts";

const DAYS = 0.5;
const [parent = ""] = process.argv.slice(2);
const folder = makeDemoFolder(parent);
const demo = await startDemo({
  host: "127.0.0.1",
  port: 0,
  publicUrl: null,
  trustedProxies: ["127.0.0.1"],
  days: DAYS,
  seed: 1,
  endMs: Date.parse("2026-11-28T12:00:00Z"),
  folder: folder.path,
  start: "npm start",
});
process.on("SIGTERM", async () => {
  await demo.stop();
  folder.remove();
  process.exit();
});
console.log(JSON.stringify({ url: demo.url, secret: demo.secret }));
