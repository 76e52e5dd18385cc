// The part of oidc-provider that the tests use. Its package has no types.
declare module "oidc-provider" {
  interface Account {
    readonly accountId: string;
    claims(): Promise<Record<string, unknown>> | Record<string, unknown>;
  }
  interface Configuration {
    readonly clients: readonly Record<string, unknown>[];
    readonly [field: string]: unknown;
    findAccount(context: unknown, id: string): Promise<Account | undefined>;
  }
  class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): (request: unknown, response: unknown) => void;
    on(event: string, listener: (...given: unknown[]) => void): void;
  }

  export { Provider };
}
