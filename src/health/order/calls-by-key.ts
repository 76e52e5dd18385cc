// The calls under way of each gateway key at one model or credential, where a choice led there.

export class CallsByKey {
  /** Keys without any aren't listed. */
  readonly #underWay = new Map<string, number>();

  count(keyId: string): number {
    return this.#underWay.get(keyId) ?? 0;
  }

  begin(keyId: string): void {
    this.#underWay.set(keyId, this.count(keyId) + 1);
  }

  end(keyId: string): void {
    const left = this.count(keyId) - 1;
    if (left > 0) this.#underWay.set(keyId, left);
    else this.#underWay.delete(keyId);
  }
}
