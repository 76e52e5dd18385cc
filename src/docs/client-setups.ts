// Every client with the lines that connect it: the manual's pages and the console's tabs are made of this table.
import { AGENTS } from "./agent-setups.ts";
import type { ClientSetup } from "./client-setup.ts";
import { LIBRARIES } from "./library-setups.ts";

export const CLIENT_SETUPS: readonly ClientSetup[] = [...AGENTS, ...LIBRARIES];
