// The systems that releases are for, and their runtimes, as npm has them.

/** A binary: the end of its name, and the runtime's package and target. */
export const TARGETS = [
  { name: "linux-x64", runtime: "bun-linux-x64", target: "bun-linux-x64" },
  { name: "linux-x64-musl", runtime: "bun-linux-x64-musl", target: "bun-linux-x64-musl" },
  { name: "linux-arm64", runtime: "bun-linux-aarch64", target: "bun-linux-arm64" },
  { name: "linux-arm64-musl", runtime: "bun-linux-aarch64-musl", target: "bun-linux-arm64-musl" },
  { name: "darwin-x64", runtime: "bun-darwin-x64", target: "bun-darwin-x64" },
  { name: "darwin-arm64", runtime: "bun-darwin-aarch64", target: "bun-darwin-arm64" },
] as const;

/** The runtimes of the npm package, of which npm installs the one for its system. */
export const RUNTIMES: readonly string[] = TARGETS.map(({ runtime }) => `@oven/${runtime}`);
