// The cells of the table of refused requests, and how one is asked: of a model of which nothing was learned, unless it is named.
import type { UnderTest } from "../../harness/harness.ts";
import { SURFACE_KEYS, type SurfaceKey } from "../../surfaces/crossing/crossing.ts";
import { askSurface, type SurfaceAnswer } from "../world/surface-asking.ts";
import type { RefusedFinding } from "./refused-findings.ts";

export interface RefusedCell {
  readonly surface: SurfaceKey;
  readonly provider: string;
  readonly stream: boolean;
}

export function listCells({
  bodies,
  providers,
  modes = [false, true],
}: RefusedFinding): readonly RefusedCell[] {
  return SURFACE_KEYS.filter((surface) => bodies[surface] !== undefined).flatMap((surface) =>
    providers.flatMap((provider) => modes.map((stream) => ({ surface, provider, stream }))),
  );
}

/** Models of the known providers; others have any name. */
const KNOWN: Readonly<Record<string, string>> = {
  OpenAI: "gpt-5.4-mini",
  Responses: "gpt-5.4-mini",
  Anthropic: "claude-sonnet-4-6",
  Google: "gemini-3.6-flash",
};
let named = 0;

export function nameModel(provider: string): string {
  return `${provider}#${KNOWN[provider] ?? `m-${++named}`}`;
}

export function askCell(
  gateway: UnderTest,
  { bodies, headers }: RefusedFinding,
  { surface, stream }: RefusedCell,
  model: string,
): Promise<SurfaceAnswer> {
  return askSurface(gateway, {
    surface,
    model,
    body: bodies[surface] ?? {},
    stream,
    ...(headers && { headers }),
  });
}
