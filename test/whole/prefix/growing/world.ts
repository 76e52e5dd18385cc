// A gateway whose providers write down what comes up, and conversations with it by their seeds.
import { startUnderTest } from "../../../harness/harness.ts";
import { playSeed } from "./play.ts";
import { Recorder } from "./recorder.ts";

/** A provider of Claude whose requests all get cache marks, beside those of the harness. */
const addMarked = (url: string) =>
  `  Marked: { keys: ["sim-key"], base_url: "${url}/anthropic/v1", dialect: anthropic, unlisted_models: true, cache_marks: auto }`;

export async function startGrowing() {
  const recorder = new Recorder();
  const gateway = await startUnderTest({ fetch: recorder.fetch, more: addMarked });
  return {
    recorder,
    gateway,
    /** Plays as many conversations as `count`. Returns what isn't as it must be. */
    async play(first: number, count: number): Promise<readonly string[]> {
      const findings: string[] = [];
      for (let seed = first; seed < first + count; seed++)
        findings.push(...(await playSeed(seed, gateway, recorder)));
      return findings;
    },
  };
}
