// The time of whole exports over a million requests, and the memory that they take beyond what the gateway had before.
import { residentBytes } from "../processes.ts";

const MEGABYTE = 1024 * 1024;
const AIM_BYTES = 60 * MEGABYTE;
const SAMPLED_MS = 100;
const NAMES = [
  "requests.csv",
  "requests.jsonl",
  "reconciliation.csv",
  "journal.csv",
  "usage.csv?group_by=day,key",
];

interface Gateway {
  readonly port: number;
  readonly pid: number;
  readonly token: string;
}

/** Exports each list and prints what it took. Sets the exit code if the memory is beyond the aim. */
export async function measureExports(gateway: Gateway): Promise<void> {
  for (const name of NAMES) {
    const before = residentBytes(gateway.pid);
    let most = before;
    const sampling = setInterval(() => {
      most = Math.max(most, residentBytes(gateway.pid));
    }, SAMPLED_MS);
    const beganMs = performance.now();
    const { bytes, lines } = await readExport(gateway, name);
    clearInterval(sampling);
    const seconds = (performance.now() - beganMs) / 1000;
    const more = most - before;
    const size = `${lines} lines, ${Math.round(bytes / MEGABYTE)} MB in ${seconds.toFixed(1)} s`;
    console.log(
      `export ${name}: ${size}; memory ${Math.round(before / MEGABYTE)} MB + ${Math.round(more / MEGABYTE)} MB`,
    );
    if (more > AIM_BYTES) process.exitCode = 1;
  }
}

async function readExport({ port, token }: Gateway, name: string) {
  const answer = await fetch(`http://127.0.0.1:${port}/admin/v1/export/${name}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (answer.status !== 200 || answer.body === null) throw new Error(`${name}: ${await answer.text()}`);
  let bytes = 0;
  let lines = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) lines++;
  }
  return { bytes, lines };
}
