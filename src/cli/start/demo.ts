// `poundkey demo`: a company's month to look at, until a signal stops it.
import { DAYS, runDemo } from "../../app/demo/run-demo.ts";
import { isHost } from "../../config/units.ts";
import { isAddressBlock } from "../../core/world/address.ts";
import { type Arguments, makeFlagCommand, readInteger, UsageError } from "../arguments.ts";

const PORT_MAX = 65_535;
const SEED_MAX = 2 ** 31 - 1;
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

const HELP = `usage: poundkey demo [options]

Shows a made-up company's month of traffic, money and trouble in the console. Every answer is simulated, and nothing can be
changed. It reads no configuration, no provider's key and no store of yours, and deletes its own at the end.

  --host HOST               the address to listen on (default: 127.0.0.1)
  --port N                  the port to listen on, 0 for any free one (default: 8080, or the next free one)
  --public-url URL          the address by which visitors come, needed beyond loopback: only its host is served
  --trusted-proxy CIDR      a proxy whose X-Forwarded-For counts; may be given several times
  --days N                  the days of the month, from 7 to 90 (default: 30)
  --seed N                  another number makes another month (default: 1)
  --today DATE              the last day of the month, such as 2026-11-28 (default: today)
  --json                    print the address, the key and the people as JSON

examples:
  poundkey demo
  poundkey demo --days 90 --seed 7`;

const FLAGS = {
  host: "value",
  port: "value",
  "public-url": "value",
  "trusted-proxy": "list",
  days: "value",
  seed: "value",
  today: "value",
  json: "switch",
  help: "switch",
} as const;

/** Shows it until SIGTERM or SIGINT. Returns the exit code. */
export const runDemoCommand = makeFlagCommand({ name: "demo", help: HELP, flags: FLAGS }, (given, io) => {
  const host = readHost(given);
  return runDemo(
    {
      host,
      port: readInteger(given, "port", 0, PORT_MAX) ?? null,
      publicUrl: readPublicUrl(given, host),
      trustedProxies: readProxies(given),
      days: readInteger(given, "days", DAYS.least, DAYS.most) ?? DAYS.usual,
      seed: readInteger(given, "seed", 0, SEED_MAX) ?? 1,
      today: readDay(given),
      isJson: given.switches.has("json"),
    },
    io,
  );
});

function readHost({ values }: Arguments): string {
  const host = values.get("host") ?? "127.0.0.1";
  if (isHost(host)) return host;
  throw new UsageError("--host must be an IP address or a host name");
}

function readPublicUrl({ values }: Arguments, host: string): string | null {
  const text = values.get("public-url");
  if (text === undefined) {
    if (LOOPBACK.test(host)) return null;
    throw new UsageError("--host beyond loopback needs --public-url, the address by which visitors come");
  }
  const url = URL.parse(text);
  const isPlain = url?.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
  if (url !== null && isPlain && /^https?:$/.test(url.protocol)) return url.origin;
  throw new UsageError("--public-url must be an address such as https://demo.example.com");
}

function readProxies({ lists }: Arguments): readonly string[] {
  const blocks = lists.get("trusted-proxy") ?? [];
  const wrong = blocks.find((block) => !isAddressBlock(block));
  if (wrong === undefined) return blocks;
  throw new UsageError(
    `--trusted-proxy must be an address or a block such as 10.0.0.0/8, not ${JSON.stringify(wrong)}`,
  );
}

function readDay({ values }: Arguments): string | null {
  const text = values.get("today");
  if (text === undefined) return null;
  const atMs = Date.parse(`${text}T00:00:00Z`);
  if (
    !Number.isNaN(atMs) &&
    new Date(atMs).toISOString().startsWith(text) &&
    text.length === "2026-11-28".length
  )
    return text;
  throw new UsageError("--today must be a day such as 2026-11-28");
}
