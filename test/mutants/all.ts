// All mutants, in the order in which they are tried.
import { ANSWERS } from "./answers.ts";
import { BATCHES } from "./batches.ts";
import { BEYOND_CHAT } from "./beyond-chat.ts";
import { BOOKS } from "./books.ts";
import { BOUNDS } from "./bounds.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { FILE_MUTANTS } from "./files.ts";
import { GUARD_ANSWERS } from "./guard/answers.ts";
import { GUARD_POSITIONS } from "./guard/positions.ts";
import { GUARD } from "./guard/step.ts";
import { GUARD_SWAPPING } from "./guard/swapping.ts";
import { HOOKS } from "./hooks.ts";
import { INTERACTIONS } from "./interactions.ts";
import { KEEPING } from "./keeping.ts";
import { LEFT_OUT_MEDIA } from "./left-out.ts";
import { LIMIT_MUTANTS } from "./limits.ts";
import { MEDIA } from "./media.ts";
import { CATALOGUE_MUTANTS } from "./models/catalogue.ts";
import { LEARNING } from "./models/learning.ts";
import { PLACE_MUTANTS } from "./models/places.ts";
import { STAYING } from "./models/staying.ts";
import { NOTED_MUTANTS } from "./money/noted.ts";
import type { Mutant } from "./mutant.ts";
import { PAGES } from "./pages.ts";
import { PEOPLE_MUTANTS } from "./people.ts";
import { PROMPTS } from "./prompts.ts";
import { SEARCHES } from "./searches.ts";
import { SESSIONS } from "./sessions.ts";
import { SHARING } from "./sharing.ts";
import { CONNECTING } from "./start/connecting.ts";
import { STATE_MUTANTS } from "./state.ts";
import { STEPS } from "./steps.ts";
import { COPY_MUTANTS } from "./streams/copies.ts";
import { SURVIVING } from "./surviving.ts";
import { TAG_MUTANTS } from "./tags.ts";
import { TOOL_SERVERS } from "./tool-servers.ts";
import { TOOLS } from "./tools.ts";
import { TURNS } from "./turns.ts";

export const MUTANTS: readonly Mutant[] = [
  ...BOOKS,
  ...NOTED_MUTANTS,
  ...PAGES,
  ...LIMIT_MUTANTS,
  ...BATCHES,
  ...TAG_MUTANTS,
  ...PEOPLE_MUTANTS,
  ...STATE_MUTANTS,
  ...ANSWERS,
  ...COPY_MUTANTS,
  ...SESSIONS,
  ...SHARING,
  ...STEPS,
  ...GUARD,
  ...GUARD_ANSWERS,
  ...GUARD_POSITIONS,
  ...GUARD_SWAPPING,
  ...HOOKS,
  ...SURVIVING,
  ...INTERACTIONS,
  ...KEEPING,
  ...CONNECTING,
  ...LEARNING,
  ...STAYING,
  ...PLACE_MUTANTS,
  ...BEYOND_CHAT,
  ...MEDIA,
  ...LEFT_OUT_MEDIA,
  ...TURNS,
  ...BOUNDS,
  ...PROMPTS,
  ...SEARCHES,
  ...CONVERSATIONS,
  ...FILE_MUTANTS,
  ...TOOLS,
  ...TOOL_SERVERS,
  ...CATALOGUE_MUTANTS,
];
