// `poundkey setup` as a command: asks the gateway, plans, shows, asks the person, and writes.
import { describeProgram } from "../../app/program.ts";
import type { Io } from "../../app/terminal.ts";
import { AGENT_SETUPS } from "../../docs/site/client-setups.ts";
import { type Arguments, UsageError } from "../arguments.ts";
import { applyPlans, type KeyFile } from "./apply.ts";
import { chooseModels } from "./choose-models.ts";
import type { Filling } from "./fill-template.ts";
import { type Connection, findConnection, GatewayError, hasModel, readModels } from "./gateway.ts";
import { hideKey } from "./hide.ts";
import { findSetupFolder } from "./journal.ts";
import { makeOutcome, readAgents, type SetupOutcome } from "./outcome.ts";
import { findHome, isFound } from "./places.ts";
import { type AgentPlan, findKeyFile, planAgent } from "./plan.ts";
import { RefusedError, readSettings } from "./read-settings.ts";
import { describeAgent, showPlan } from "./show.ts";
import type { SetupWorld } from "./world.ts";

const KEY_MODE = 0o600;
const PASSING =
  "agents can't start this program later: npx keeps it for a while only. Run npm i -g poundkey, then poundkey setup";

/** Returns null if the person said no. Throws a UsageError for wrong arguments, and a GatewayError if the gateway refuses. */
export async function connectAgents(
  given: Arguments,
  io: Io,
  world: SetupWorld,
): Promise<SetupOutcome | null> {
  const asked = readAgents(given);
  const home = findHome(world.env);
  const connection = await findConnection(world, given.words[0], given.values.get("key"));
  const program = connection.isSignIn ? world.program : [];
  if (program === null) throw new GatewayError(PASSING);
  const filling = await makeFilling(given, world, connection, program);
  const keyFile = describeKeyFile(filling);
  const setups = AGENT_SETUPS.filter((setup) =>
    asked.length > 0 ? asked.includes(setup.name) : isFound(setup, world.env),
  );
  if (setups.length === 0) throw new GatewayError(describeMissing());
  const plans = await planAll(setups, { given, world, connection, filling, isKeyNew: keyFile.isNew });
  const isDry = given.switches.has("dry-run");
  const finish = (made: readonly AgentPlan[], remark: string | null = null) =>
    makeOutcome({
      gateway: connection.url,
      agents: made.map((plan) => showPlan(plan, connection.key)),
      home,
      nothing: "",
      isDry,
      remark,
    });
  const isNeeded = plans.some(
    ({ state, files }) => state !== "refused" && files.some((file) => file.namesKeyFile),
  );
  const changes = plans.some(isChanging) || (isNeeded && keyFile.isNew);
  if (!changes || isDry) return finish(plans);
  if (!confirm(given, io, world, { filling, plans, home })) {
    io.err("Nothing was written.");
    return null;
  }
  const { plans: done, remark } = applyPlans(
    world.disk,
    findSetupFolder(world.env),
    plans,
    isNeeded ? keyFile : null,
  );
  const undoing = `${describeProgram().name} setup --undo brings back what stood before.`;
  return finish(done, [remark, undoing].filter(Boolean).join(" "));
}

const isChanging = ({ state, files }: AgentPlan) =>
  state !== "refused" && files.some(({ isChanged }) => isChanged);

function describeMissing(): string {
  const names = AGENT_SETUPS.map(({ name }) => name).join(", ");
  return `no agent was found on this machine: name one with --agent (${names})`;
}

async function makeFilling(
  { values }: Arguments,
  world: SetupWorld,
  connection: Connection,
  program: readonly string[],
): Promise<Filling> {
  const { url, key, isSignIn } = connection;
  const models = chooseModels(await readModels(world, connection), {
    model: values.get("model"),
    smallModel: values.get("small-model"),
  });
  const keyFile = findKeyFile(findSetupFolder(world.env).keys, url);
  const [first = "", ...words] = program;
  return {
    address: url,
    key,
    ...models,
    keyFile,
    keyCommand: isSignIn ? [first, ...words, "token", url] : ["cat", keyFile],
  };
}

function describeKeyFile({ keyFile: path, key }: Filling): KeyFile {
  return { path, key, isNew: !holds(path, key) };
}

function holds(path: string, key: string): boolean {
  try {
    const found = readSettings(path);
    return found?.mode === KEY_MODE && found.text === `${key}\n`;
  } catch (error) {
    if (error instanceof RefusedError) throw new RefusedError(`${path}: ${error.message}`);
    throw error;
  }
}

interface ConnectPlanning {
  readonly given: Arguments;
  readonly world: SetupWorld;
  readonly connection: Connection;
  readonly filling: Filling;
  readonly isKeyNew: boolean;
}

async function planAll(
  setups: typeof AGENT_SETUPS,
  { given: { switches }, world, connection, filling, isKeyNew }: ConnectPlanning,
): Promise<readonly AgentPlan[]> {
  const { isSignIn } = connection;
  const needed = isSignIn ? [] : setups.flatMap(({ needs }) => (needs === undefined ? [] : [needs.model]));
  const known = new Set<string>();
  for (const name of needed) if (await hasModel(world, connection, name)) known.add(name);
  return setups.map((setup) =>
    planAgent(setup, {
      filling,
      isSignIn,
      isKeyNew,
      withTools: switches.has("tools"),
      intoGit: switches.has("into-git"),
      known,
      env: world.env,
    }),
  );
}

interface Confirming {
  readonly filling: Filling;
  readonly plans: readonly AgentPlan[];
  readonly home: string;
}

/** Shows the plan where the outcome doesn't go, and asks. Throws a UsageError if nobody can be asked. */
function confirm(
  { switches }: Arguments,
  io: Io,
  world: SetupWorld,
  { filling, plans, home }: Confirming,
): boolean {
  if (switches.has("yes")) return true;
  const { address, key, model, smallModel } = filling;
  const head = `Gateway ${address}, key ${hideKey(key)}, model ${model}, small model ${smallModel}`;
  const shown = plans.map((plan) => describeAgent({ ...showPlan(plan, key), state: plan.state }, home, true));
  io.err([head, ...shown].join("\n\n"));
  if (!world.isTerminal) throw new UsageError("there is no terminal to ask on: add --yes to write this");
  return world.ask("\nWrite this?");
}
