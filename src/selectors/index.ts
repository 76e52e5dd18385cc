// The selectors, by name.
import type { Selector } from "../core/models/selector.ts";
import { best } from "./best.ts";
import { fair } from "./fair.ts";
import { light } from "./light.ts";
import type { SelectorRule } from "./selector.ts";

export const SELECTOR_RULES: Readonly<Record<Selector, SelectorRule>> = { best, fair, light };
