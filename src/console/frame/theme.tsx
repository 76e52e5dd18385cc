// The switch of the console's look: light, dark, or as the system has it. The browser keeps the choice.
import { signal } from "@preact/signals";
import { readStored, setDark, writeStored } from "../browser.ts";
import { Button } from "../parts/button.tsx";

const STORED = "theme";
/** In the order of the switch. */
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const ICONS = { system: "contrast", light: "sun", dark: "moon" } as const;

const theme = signal<Theme>("system");

/** Takes up the choice that this browser keeps. */
export function startTheme(): void {
  const kept = readStored(STORED);
  choose(THEMES.find((one) => one === kept) ?? "system");
}

function choose(next: Theme): void {
  setDark(next === "system" ? null : next === "dark");
  theme.value = next;
}

/** Null if the system decides. */
export function isDarkChosen(): boolean | null {
  return theme.value === "system" ? null : theme.value === "dark";
}

export function ThemeSwitch() {
  const now = theme.value;
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? "system";
  const press = () => {
    choose(next);
    writeStored(STORED, next);
  };
  return <Button label={`Theme: ${now}`} kind="quiet" icon={ICONS[now]} isTiny isIconOnly onClick={press} />;
}
