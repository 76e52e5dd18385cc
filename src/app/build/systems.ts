// The systems that releases are for, and their runtimes, as npm has them.

interface BuildTarget {
  /** The end of the binary's name. */
  readonly name: string;
  /** The runtime's package. */
  readonly runtime: string;
  readonly target: string;
  /** Bun leaves the runtime's own signature in it, which is wrong for the binary. */
  readonly isSignedWrong?: boolean;
}

export const TARGETS: readonly BuildTarget[] = [
  { name: "linux-x64", runtime: "bun-linux-x64", target: "bun-linux-x64" },
  { name: "linux-x64-musl", runtime: "bun-linux-x64-musl", target: "bun-linux-x64-musl" },
  { name: "linux-arm64", runtime: "bun-linux-aarch64", target: "bun-linux-arm64" },
  { name: "linux-arm64-musl", runtime: "bun-linux-aarch64-musl", target: "bun-linux-arm64-musl" },
  { name: "darwin-x64", runtime: "bun-darwin-x64", target: "bun-darwin-x64", isSignedWrong: true },
  { name: "darwin-arm64", runtime: "bun-darwin-aarch64", target: "bun-darwin-arm64" },
];

/** The runtimes of the npm package, of which npm installs the one for its system. */
export const RUNTIMES: readonly string[] = TARGETS.map(({ runtime }) => `@oven/${runtime}`);
