// Writes a transcript's segments as subtitles, as OpenAI's API does.

/** A line of speech and its times in seconds. */
export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Writes SubRip: numbered cues, with a comma before the milliseconds. */
export function writeSrt(cues: readonly Cue[]): string {
  return cues.map((cue, index) => `${index + 1}\n${writeCue(cue, ",")}`).join("");
}

/** Writes WebVTT (W3C, "WebVTT: The Web Video Text Tracks Format"). */
export function writeVtt(cues: readonly Cue[]): string {
  return `WEBVTT\n\n${cues.map((cue) => writeCue(cue, ".")).join("")}`;
}

/** An arrow or an empty line within a text would end it. */
function writeCue({ start, end, text }: Cue, point: string): string {
  const line = text
    .trim()
    .replaceAll("-->", "->")
    .replace(/\n\s*\n/g, "\n");
  return `${writeTime(start, point)} --> ${writeTime(end, point)}\n${line}\n\n`;
}

/** Less than any time is apart from another: 51.6 as a number of four bytes is 51.59999847, which OpenAI writes as 51.599. */
const ROUNDING_MS = 1e-6;

function writeTime(seconds: number, point: string): string {
  const ms = Math.floor(Math.max(0, seconds) * 1000 + ROUNDING_MS);
  const pad = (value: number, digits: number) => String(value).padStart(digits, "0");
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  return `${pad(hours, 2)}:${pad(minutes, 2)}:${pad(Math.floor(ms / 1000) % 60, 2)}${point}${pad(ms % 1000, 3)}`;
}
