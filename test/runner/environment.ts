// The environment of tests, without what would change their results on somebody's machine.

/** Proxies before loopback, the machine's provider keys, its store and places, and files that only the outermost run writes. */
const LEFT_OUT = /_proxy$|_API_KEY$|^(POUNDKEY_(STORE|PLACES|FOLDER)|TEST_RESULTS|TEST_MARKS)$/i;

/** Returns this process's environment for `bun test`, with more variables. Ceilings on what the tests start are lifted. */
export function makeTestEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    LEFT_OUT.test(name) || value === undefined ? [] : [[name, value] as const],
  );
  return { BUN_CONFIG_MAX_HTTP_REQUESTS: "65535", ...Object.fromEntries(kept), ...more };
}
