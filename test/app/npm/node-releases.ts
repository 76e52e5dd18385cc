// Releases of Node beside the machine's own, installed from npm.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** Returns the program of the newest Node of this release, such as `22`. Throws if npm doesn't have it for this system. */
export async function installNode(release: string, into: string): Promise<string> {
  const folder = join(into, `node-${release}`);
  const name = `node-${process.platform}-${process.arch}`;
  mkdirSync(folder, { recursive: true });
  const flags = ["--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts"];
  const child = Bun.spawn(["npm", "install", ...flags, `${name}@${release}`], {
    cwd: folder,
    stdout: "ignore",
    stderr: "pipe",
  });
  const said = await new Response(child.stderr).text();
  const node = join(folder, "node_modules", name, "bin", "node");
  if ((await child.exited) !== 0 || !existsSync(node)) throw new Error(`Node ${release}: ${said}`);
  return node;
}
