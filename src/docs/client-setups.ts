// Every client with the lines that connect it: the manual's pages and the console's tabs are made of this table.
import type { ClientSetup } from "./client-setup.ts";
import setups from "./client-setups.yaml";

export const CLIENT_SETUPS: readonly ClientSetup[] = setups;
