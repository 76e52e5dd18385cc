// Runs the tests of the binary against the package as npm lays it out: `bun test/app/npm/run.ts`, or with the flags of `npm test`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installNode } from "./node-releases.ts";
import { buildPackage, install } from "./packed.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
/** The gateway takes its place, so that tests which look at a process find the gateway itself. */
const RELEASE = "22";

const folder = mkdtempSync(join(tmpdir(), "poundkey-packed-"));
const node = await installNode(RELEASE, folder);
const place = install(buildPackage(folder));
const program = join(place.root, "poundkey");
// The tests of the binary expect all of a gateway in its working folder.
const words = `POUNDKEY_PLACES="\${POUNDKEY_PLACES:-folder}" exec "${node}" "${place.launcher}" "$@"`;
writeFileSync(program, `#!/bin/sh\n${words}\n`, { mode: 0o755 });
const given = process.argv.slice(2);
const child = Bun.spawn([process.execPath, "test/run.ts", ...(given.length === 0 ? ["--binary"] : given)], {
  cwd: ROOT,
  env: { ...process.env, POUNDKEY_BINARY: program },
  stdio: ["ignore", "inherit", "inherit"],
});
const code = await child.exited;
place.remove();
rmSync(folder, { recursive: true, force: true });
process.exit(code);
