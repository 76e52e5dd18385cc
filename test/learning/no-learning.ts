// The learning of a gateway that learns nothing.
import { NOTHING_KNOWN } from "../../src/selectors/knowledge.ts";

export const NO_LEARNING = { known: NOTHING_KNOWN, learn: () => {} };
