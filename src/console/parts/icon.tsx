// The console's icons, as strokes on a 24 × 24 grid, and the initials of those who have none, in their colour.
import { findColor } from "./thing-colors.ts";

const PATHS = {
  overview: "M4 19V11M10 19V5M16 19v-6M21 19H3",
  activity: "M3 12h4l3-8 4 16 3-8h4",
  models: "M12 3l8 4.5v9L12 21l-8-4.5v-9L12 3zM12 12l8-4.5M12 12v9M12 12L4 7.5",
  tools:
    "M14.5 6.5a4 4 0 0 1 5-3.9l-2.6 2.6 2 2 2.6-2.6a4 4 0 0 1-5.3 4.7L8.4 17.1a2.1 2.1 0 0 1-3-3l7.9-7.8",
  playground: "M4 5h16v11H9l-5 4V5zM8 9.5h8M8 12.5h5",
  key: "M8 12a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM11 13l9-9M16 8l3 3",
  provider: "M4 5h16v5H4zM4 14h16v5H4zM8 7.5h.01M8 16.5h.01",
  account: "M3 7h18v12H3zM3 11h18M7 15h3",
  people:
    "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 20c0-3.5 3-6 7-6s7 2.5 7 6M15.5 3.3a4 4 0 0 1 0 7.4M18 14.5c2.4.8 4 2.8 4 5.5",
  directory: "M4 21V4h10v17M14 9h6v12M2 21h20M7.5 8h3M7.5 12h3M7.5 16h3",
  scales: "M12 4v16M7 20h10M5 7h14M5 7l-3 7a3.2 3.2 0 0 0 6 0zM19 7l-3 7a3.2 3.2 0 0 0 6 0z",
  audit: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  invoice: "M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6",
  send: "M21 3L10 14M21 3l-7 18-4-7-7-4z",
  lock: "M5 11h14v9H5zM8 11V8a4 4 0 0 1 8 0v3M12 14.5v2",
  shield: "M12 3l8 3v6c0 4.5-3.2 7.8-8 9-4.8-1.2-8-4.5-8-9V6zM9 12l2 2 4-4",
  limits: "M4 8h10M18 8h2M4 16h2M10 16h10M16 6v4M8 14v4",
  columns: "M4 5h16v14H4zM10 5v14M15 5v14",
  bell: "M6 16V11a6 6 0 1 1 12 0v5l2 2H4zM10 21h4",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  search: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l5 5",
  menu: "M4 7h16M4 12h16M4 17h16",
  leave: "M15 4h4v16h-4M10 8l-4 4 4 4M6 12h9",
  back: "M11 6l-6 6 6 6M5 12h14",
  warning: "M12 4l9 16H3L12 4zM12 10v4M12 17h.01",
  info: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 11v5M12 8h.01",
  up: "M12 19V5M6 11l6-6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  stop: "M7 7h10v10H7z",
  pause: "M8 5v14M16 5v14",
  resume: "M7 5l12 7-12 7z",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  edit: "M4 20l1-4L16 5l3 3L8 19l-4 1z",
  code: "M9 7l-5 5 5 5M15 7l5 5-5 5",
  external: "M9 5H5v14h14v-4M13 5h6v6M19 5l-8 8",
  sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  contrast: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 3v18M15 5v14M18 7v10",
  refresh: "M20 11a8 8 0 0 0-14-4L4 9M4 4v5h5M4 13a8 8 0 0 0 14 4l2-2M20 20v-5h-5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path
        d="M12.6 8 10.6 24M21.4 8l-2 16M8 13h16.5M7.5 19H24"
        fill="none"
        stroke="var(--on-accent)"
        stroke-width="2.6"
        stroke-linecap="round"
      />
    </svg>
  );
}

const INITIALS_MAX = 2;

/** `OA` of OpenAI, `MI` of Mistral, `CC` of Claude Code. */
function findInitials(name: string): string {
  const heads = name.match(/\p{Lu}|(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu) ?? [];
  const letters = heads.length > 1 ? heads : [...name.replace(/[^\p{L}\p{N}]/gu, "")];
  return letters.slice(0, INITIALS_MAX).join("").toUpperCase();
}

/** It stands beside the name, so that nobody needs it read, searched or copied: the style sheet draws the letters. */
export function Monogram({ name }: { readonly name: string }) {
  const style = { "--thing": `var(${findColor(name)})` };
  return <span class="monogram" aria-hidden="true" data-initials={findInitials(name)} style={style} />;
}
