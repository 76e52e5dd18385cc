// The settings that no request of a surface to a model can change: made for the first one, and found by one look-up.

import type { GatewayKey } from "../../core/keys/key.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Mending } from "../../core/models/dialect.ts";
import { type Steering, UNSTEERED } from "../../core/models/steering.ts";
import type { RouterRules } from "../../core/settings.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import { Routes } from "../../gateway/plan/routes.ts";
import type { Form } from "../../operations/form.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { Snapshot } from "../ports.ts";
import { listCandidates, openNamed, readSelection, steerSelection } from "./selection.ts";

/** Clients may make up names of models that aren't listed. Beyond this many, all are made again. */
const SETUPS_MAX = 4096;
const NAME_CHARACTERS_MAX = 400;

/** A surface's settings of the current configuration. */
interface SurfaceSetup<F extends Form> {
  readonly snapshot: Snapshot;
  readonly routes: Routes<F>;
  /** By the model's name, and by the key if its list of models bounds it. */
  readonly models: Map<string, ModelSetup<F>>;
}

/** The part of a setup that a call takes. */
export interface CallSetup<F extends Form> {
  readonly named: Selection;
  readonly selection: Selection;
  readonly steering: Steering;
  readonly routes: Routes<F>;
  readonly rules: RouterRules;
  readonly markup: number;
  readonly mendsNamed: Mending | undefined;
  listUsable(): readonly ModelCard[];
}

/** The settings of requests to one model, with the keys that may use the same models. */
export class ModelSetup<F extends Form> implements CallSetup<F> {
  /** The model as it is named. */
  readonly named: Selection;
  /** The same with the demands on its choice, for a request that adds none by its headers. */
  readonly selection: Selection;
  readonly steering: Steering;
  readonly routes: Routes<F>;
  readonly rules: RouterRules;
  readonly markup: number;
  /** The fields that the native lane may leave out for a model that the client named. */
  readonly mendsNamed: Mending | undefined;
  readonly #snapshot: Snapshot;
  readonly #key: GatewayKey;
  /** The bounds on what the name leads to: an alias may open more than the key's list. */
  readonly #bounds: GatewayKey;

  /** Throws the Fault of a model that doesn't exist, or that the key may not use. */
  constructor(
    { operation }: Surface<F>,
    { snapshot, routes }: SurfaceSetup<F>,
    model: string,
    key: GatewayKey,
  ) {
    const { catalogue, rules, billing, limits } = snapshot;
    this.named = readSelection(model, key, catalogue, operation.name);
    const { selection, steering } = steerSelection(this.named, UNSTEERED);
    this.selection = selection;
    this.steering = steering;
    this.routes = routes;
    this.rules = rules;
    this.markup = billing.markup;
    this.mendsNamed = limits.mendsNamed;
    this.#snapshot = snapshot;
    this.#key = key;
    this.#bounds = openNamed(model, key, catalogue);
  }

  /** True if it was made for a key with the same bounds. A key that is changed has other lists. */
  isFor({ allowedModels, memberModels }: GatewayKey): boolean {
    return this.#key.allowedModels === allowedModels && this.#key.memberModels === memberModels;
  }

  /** Returns the same setup with fewer models in the place of those that are named. */
  narrow(named: Selection): CallSetup<F> {
    const { routes, rules, markup, mendsNamed } = this;
    const listUsable = () => this.listUsable();
    return { ...steerSelection(named, UNSTEERED), named, routes, rules, markup, mendsNamed, listUsable };
  }

  /** Returns the models that its keys may use. */
  listUsable(): readonly ModelCard[] {
    return listCandidates(this.#bounds, this.#snapshot.catalogue);
  }
}

/** The setups of one surface. A reload drops them. */
export class Setups<F extends Form> {
  readonly #surface: Surface<F>;
  #current: SurfaceSetup<F> | null = null;

  constructor(surface: Surface<F>) {
    this.#surface = surface;
  }

  /** Throws the Fault of a model that doesn't exist, or that the key may not use. */
  find(snapshot: Snapshot, model: string, key: GatewayKey): ModelSetup<F> {
    const current = this.#current?.snapshot === snapshot ? this.#current : this.#begin(snapshot);
    const { models } = current;
    const isBound = key.allowedModels !== null || key.memberModels !== undefined;
    const name = isBound ? `${model} ${key.id}` : model;
    const known = models.get(name);
    if (known?.isFor(key)) return known;
    const made = new ModelSetup(this.#surface, current, model, key);
    if (name.length > NAME_CHARACTERS_MAX) return made;
    if (models.size >= SETUPS_MAX) models.clear();
    models.set(name, made);
    return made;
  }

  #begin(snapshot: Snapshot): SurfaceSetup<F> {
    const { operation, family } = this.#surface;
    const routes = new Routes(operation, family, snapshot.upstreams);
    this.#current = { snapshot, routes, models: new Map() };
    return this.#current;
  }
}
